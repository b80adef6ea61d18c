import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { audience } from '../../stand-ins/identity/identity-provider.ts'
import type { IdentityService, ServiceRequest } from '../../stand-ins/identity/identity-services.ts'
import { type Call, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

/** Runs the helper, and asks the platform whether the token is one of its own. */
async function expectToken(bench: Workbench, argv: readonly string[], env: Call['env'] = {}): Promise<void> {
  const token = tokenOf(await bench.run({ argv: [...bench.target, ...argv], env }))
  const { status } = await fetch(`${bench.platform.url}/v1/sessions/${bench.platform.seed.session}/resources`, {
    headers: { authorization: `Bearer ${token}`, 'vendor-beta': 'managed-agents-2026-04-01' },
  })
  expect({ status, exchanges: bench.exchanges() }).toEqual({ status: 200, exchanges: ['200'] })
}

const own = ['--audience', audience]

test('a file gives its token without the spaces around it', async () => {
  await using bench = await startWorkbench()
  const path = await bench.writeToken(`  ${await bench.provider.sign()}\n`)
  await expectToken(bench, ['--identity', 'file', '--identity-file', path, ...own])
})

test('a file below the home directory gives its token', async () => {
  await using bench = await startWorkbench()
  await bench.writeToken(await bench.provider.sign())
  await expectToken(bench, ['--identity', 'file', '--identity-file', '~/identity-token'])
})

test('a variable gives its token', async () => {
  await using bench = await startWorkbench()
  const env = { CI_JOB_JWT: await bench.provider.sign() }
  await expectToken(bench, ['--identity', 'variable', '--identity-variable', 'CI_JOB_JWT', ...own], env)
})

test('a Kubernetes service account gives the token of its file, which may have another path', async () => {
  await using bench = await startWorkbench()
  const path = await bench.writeToken(await bench.provider.sign())
  await expectToken(bench, ['--identity', 'kubernetes', '--identity-file', path, ...own])
})

test('a pod on Azure gives its federated token file without a request', async () => {
  await using bench = await startWorkbench()
  const path = await bench.writeToken(await bench.provider.sign())
  const env = { ...bench.services.environment('azure'), AZURE_FEDERATED_TOKEN_FILE: path }
  await expectToken(bench, ['--identity', 'azure'], env)
  expect(bench.services.requests).toEqual([])
})

test('a command is run without a shell, with its arguments as they are', async () => {
  await using bench = await startWorkbench()
  const program = await writeProgram(bench, `[ "$*" = '--for $HOME;x' ] && echo '${await bench.provider.sign()}'`)
  const words = [program, '--for', '$HOME;x'].map((word) => `--identity-command=${word}`)
  await expectToken(bench, ['--identity', 'command', ...words, ...own])
})

test('a command that prints JSON gives the token in it', async () => {
  await using bench = await startWorkbench()
  const program = await writeProgram(bench, `echo '{"WebIdentityToken":"${await bench.provider.sign()}"}'`)
  const field = ['--identity-field', 'WebIdentityToken']
  await expectToken(bench, ['--identity', 'command', '--identity-command', program, ...field])
})

test("a command is found on the given path, and does not see the helper's own variables", async () => {
  await using bench = await startWorkbench()
  await writeProgram(bench, `env > "$HOME/seen"; echo '${await bench.provider.sign()}'`)
  await expectToken(bench, ['--identity', 'command', '--identity-command', 'print-token'], {
    GATEPASS_PROXY: 'http://x:canary@127.0.0.1:1',
    VENDOR_API_KEY: 'canary',
    GATEPASS_PATH: `${bench.home}:/usr/bin:/bin`,
  })
  expect(await readFile(join(bench.home, 'seen'), 'utf8')).not.toContain('canary')
})

/** The arguments for each service, and the request that it expects. */
const questions: Readonly<Record<IdentityService, { argv: string[]; asked: ServiceRequest['asked'] }>> = {
  url: {
    argv: ['--identity-url', 'URL/identity?for=a', '--identity-headers-variable', 'HEADERS'],
    asked: { for: 'a', by: 'test' },
  },
  'github-actions': { argv: [], asked: { 'api-version': '2.0', audience } },
  google: { argv: [], asked: { audience, format: 'full' } },
  azure: {
    argv: ['--azure-client', 'client-1'],
    asked: { 'api-version': '2018-02-01', resource: audience, client_id: 'client-1' },
  },
  'app-service': { argv: [], asked: { 'api-version': '2019-08-01', resource: audience } },
  aws: {
    argv: [],
    asked: { 'Audience.member.1': audience, DurationSeconds: '300', SigningAlgorithm: 'ES384' },
  },
}

test.each(Object.entries(questions))('%s is asked its own question, once', async (name, { argv, asked }) => {
  const service = name as IdentityService // the keys of the table
  await using bench = await startWorkbench()
  const env = bench.services.environment(service)
  const kind = service === 'app-service' ? 'azure' : service
  const words = argv.map((word) => word.replace('URL', bench.services.url))
  await expectToken(bench, ['--identity', kind, ...own, ...words], env)
  expect(bench.services.requests).toEqual([{ service, status: 200, asked }])
})

test('an address is asked with the headers in a file, and its JSON is read', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'headers')
  const { HEADERS = '' } = bench.services.environment('url')
  await writeFile(path, HEADERS.replace('\n', '\r\n\r\n'))
  const argv = ['--identity', 'url', '--identity-url', `${bench.services.url}/identity?json=1`]
  await expectToken(bench, [...argv, '--identity-headers-file', path, '--identity-field', 'jwt'])
})

test('GitHub Actions gets no audience where none is set', async () => {
  await using bench = await startWorkbench()
  await expectToken(bench, ['--identity', 'github-actions'], bench.services.environment('github-actions'))
  expect(bench.services.requests).toEqual([{ service: 'github-actions', status: 200, asked: { 'api-version': '2.0' } }])
})

test('a profile is the identity for AWS, whatever its credentials come from', async () => {
  await using bench = await startWorkbench()
  const { AWS_ENDPOINT_URL_STS, ...keys } = bench.services.environment('aws')
  await mkdir(join(bench.home, '.aws'))
  const settings = Object.entries(keys).map(
    ([name, value]) => `${name.replace('AWS_REGION', 'region').toLowerCase()}=${value}`,
  )
  await writeFile(join(bench.home, '.aws', 'config'), `[profile ci]\n${settings.join('\n')}\n`)
  const env = { AWS_ENDPOINT_URL_STS: AWS_ENDPOINT_URL_STS ?? '', AWS_PROFILE: 'ci' }
  await expectToken(bench, ['--identity', 'aws', ...own], env)
})

test('a busy service is asked again after its Retry-After', async () => {
  await using bench = await startWorkbench()
  bench.services.disturb('google', { status: 503, headers: { 'retry-after': '0' } }, 2)
  await expectToken(bench, ['--identity', 'google', ...own], bench.services.environment('google'))
  expect(bench.services.requests.map(({ status }) => status)).toEqual([503, 503, 200])
})

test('a broken connection is retried', async () => {
  await using bench = await startWorkbench()
  bench.services.disturb('github-actions', 'reset')
  await expectToken(bench, ['--identity', 'github-actions', ...own], bench.services.environment('github-actions'))
  expect(bench.services.requests.map(({ status }) => status)).toEqual(['reset', 200])
})

async function writeProgram({ home }: Workbench, script: string): Promise<string> {
  const path = join(home, 'print-token')
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o700 })
  return path
}
