import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { writeProgram } from '../helpers/aws-bedrock-token/credential-program.ts'
import { issuer } from '../helpers/aws-bedrock-token/identity-token.ts'
import { inMinutes, signInToConsole, signInToSso } from '../helpers/aws-bedrock-token/sign-in.ts'
import {
  type Call,
  canary,
  keysOf,
  role,
  secretsOfBench,
  startWorkbench,
  user,
  type Workbench,
} from '../helpers/aws-bedrock-token/workbench.ts'
import { startCollector } from '../stand-ins/collector/collector.ts'
import { type Behaviour, startFront } from '../stand-ins/front/front.ts'
import { startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { host, region, startRoleBench } from './site.ts'

const echo = { kind: 'error', code: 'AccessDenied', status: 403, message: `${canary} was denied` } as const

/**
 * Runs with a log, twice, and searches everything that left the process; stderr is searched by the workbench. Operations are told
 * of the first run, by a collector, or by the spool where nothing was started that sends; the lines of the system's log are those of the spool.
 */
async function expectNothingLeaks(bench: Workbench, { argv = [], env = {} }: Call, status: number): Promise<void> {
  const log = join(bench.home, 'calls.log')
  await writeFile(log, '', { mode: 0o600 })
  const call = { argv: [...argv, '--client-timeout', '4', '--log-file', log], env: { DEBUG: '*', ...env } }
  const collector = await startCollector()
  const told = { ...call, env: { ...call.env, GATEPASS_OTLP_ENDPOINT: collector.endpoint } }
  const outcome = await bench.run(told)
  if ((await names(join(bench.home, '.cache'))).some((name) => name.includes('outcomes.turn-')))
    await vi.waitFor(() => expect(collector.received).toHaveLength(1), 15_000)
  const outcomes = [...collector.received.map(({ body }) => body), await takeOutcomes(bench.home)].join('\n')
  expect(outcomes).toContain('"aws-bedrock-token"')
  const explained = await bench.run({ ...call, argv: [...call.argv, '--explain'] })
  expect({ status: outcome.status, isSilent: status === 0 || outcome.stdout === '' }).toEqual({
    status,
    isSilent: true,
  })
  const seen = [
    outcomes,
    await readFile(log, 'utf8'),
    explained.stdout,
    ...(await names(join(bench.home, '.cache'))),
  ].join('\n')
  expect(secretsOfBench(bench.aws).filter((secret) => seen.includes(secret))).toEqual([])
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { status: number }).status)).toEqual([status, status])
}

/** Removes and returns the outcomes that were not sent, and removes the note of the sending process, so that the next call starts one. */
async function takeOutcomes(home: string): Promise<string> {
  const directory = join(home, '.cache', 'gatepass')
  const own = (await readdir(directory)).filter((name) => name.startsWith('outcomes.'))
  const texts = await Promise.all(own.map((name) => readFile(join(directory, name), 'utf8').catch(() => '')))
  for (const name of own) await rm(join(directory, name), { force: true })
  return texts.join('')
}

async function names(directory: string): Promise<string[]> {
  return readdir(directory, { recursive: true }).catch(() => []) // a call that failed has kept nothing
}

test('nothing leaks of keys in a file or in the environment', async () => {
  await using bench = await startWorkbench()
  await bench.write({ config: { 'profile dev': { region } }, credentials: { dev: keysOf(bench.aws) } })
  await expectNothingLeaks(bench, { argv: ['--profile', 'dev'] }, 0)
  const AWS_SECRET_ACCESS_KEY = `${canary}-secret`
  const env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN: canary, AWS_REGION: region }
  await expectNothingLeaks(bench, { env }, 0)
  await expectNothingLeaks(bench, { env: { ...env, VENDOR_API_KEY: canary }, argv: ['--format', 'token'] }, 0)
})

const page: Behaviour = { status: 403, headers: { 'content-type': 'text/html' }, body: `<p>${canary}` }
const rubbish: Behaviour = { status: 200, headers: { 'content-type': 'text/xml' }, body: `${canary} <` }
const redirect: Behaviour = { status: 302, headers: { location: `http://127.0.0.1:1/${canary}` } }
const down: Behaviour = { status: 503, headers: { 'content-type': 'text/xml' }, body: `<a>${canary}</a>` }

test.each<[behaviour: Behaviour, status: number]>([
  ['forward', 0],
  ['silence', 7],
  ['drip', 7],
  ['reset', 6],
  ['truncate', 6],
  ['endless', 6],
  [page, 6],
  [rubbish, 6],
  [redirect, 6],
  [down, 6],
])('nothing leaks of a role where AWS answers with %j', async (behaviour, status) => {
  await using bench = await startRoleBench()
  await using front = await startFront(bench.aws.url)
  front.behave(behaviour)
  await expectNothingLeaks(bench, { argv: ['--profile', 'build'], env: { AWS_ENDPOINT_URL_STS: front.url } }, status)
})

test('nothing leaks where AWS refuses a role in words that repeat what was sent', async () => {
  await using bench = await startRoleBench()
  bench.aws.failAlways('AssumeRole', echo)
  await expectNothingLeaks(bench, { argv: ['--profile', 'build'] }, 5)
})

test('nothing leaks of an identity token that AWS refuses', async () => {
  await using bench = await startWorkbench()
  const web_identity_token_file = join(bench.home, 'token')
  await writeFile(web_identity_token_file, `${canary}.${canary}.${canary}`)
  bench.aws.addIdentityProvider({ issuer })
  await bench.write({ config: { 'profile build': { role_arn: role, web_identity_token_file, region } } })
  await expectNothingLeaks(bench, { argv: ['--profile', 'build'] }, 5)
})

test('nothing leaks of an SSO sign-in that is used, renewed, refused or unreachable', async () => {
  await using bench = await startWorkbench()
  const argv = ['--profile', 'dev', '--cache', 'none']
  await signInToSso(bench, { refreshToken: `${canary}-refresh` })
  await expectNothingLeaks(bench, { argv }, 0)
  bench.aws.failAlways('GetRoleCredentials', { ...echo, code: 'ForbiddenException' })
  await expectNothingLeaks(bench, { argv }, 5)
  await signInToSso(bench, { refreshToken: `${canary}-old`, expiresAt: inMinutes(-5) })
  for (const code of ['InvalidGrantException', 'ServiceUnavailable']) {
    bench.aws.failAlways('CreateToken', { ...echo, code, status: code === 'ServiceUnavailable' ? 503 : 400 })
    await expectNothingLeaks(bench, { argv }, code === 'ServiceUnavailable' ? 6 : 4)
  }
})

test('nothing leaks of a console sign-in that cannot be renewed', async () => {
  await using bench = await startWorkbench()
  await signInToConsole(bench, user, inMinutes(-5))
  bench.aws.failAlways('CreateOAuth2Token', echo)
  await expectNothingLeaks(bench, { argv: ['--profile', 'dev'] }, 5)
})

test('nothing leaks of the token that the endpoint of a container wants', async () => {
  await using bench = await startWorkbench()
  const env = bench.aws.addContainerRole({ arn: role, authorizationToken: `${canary}-container` })
  await expectNothingLeaks(bench, { env: { ...env, AWS_REGION: region } }, 0)
  const wrong = { ...env, AWS_CONTAINER_AUTHORIZATION_TOKEN: `${canary}-wrong`, AWS_REGION: region }
  const AWS_CONTAINER_CREDENTIALS_FULL_URI = `${env.AWS_CONTAINER_CREDENTIALS_FULL_URI}?key=${canary}`
  await expectNothingLeaks(bench, { env: { ...wrong, AWS_CONTAINER_CREDENTIALS_FULL_URI } }, 5)
})

test.each<[script: string, status: number]>([
  [`echo ${canary}; echo ${canary} >&2; exit 3`, 5],
  [`echo '{"Version":1,"AccessKeyId":"AKIAEXAMPLE","SecretAccessKey":"${canary}"}'`, 0],
  [`echo '{"Version":1,"AccessKeyId":"AKIAEXAMPLE","SecretAccessKey":"${canary}"`, 5],
  ['sleep 60', 7],
])('nothing leaks of a credential_process with secrets in its arguments: %s', async (script, status) => {
  await using bench = await startWorkbench()
  const path = await writeProgram(join(bench.home, 'print-keys'), script)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}" --token ${canary}`, region } } })
  await expectNothingLeaks(bench, { argv: ['--profile', 'dev'] }, status)
})

test.each([`KEY=${canary} no-such-program`, `KEY="${canary} a" B='${canary}' no-such-program ${canary}`])(
  'nothing leaks of a credential_process that is missing: %s',
  async (credential_process) => {
    await using bench = await startWorkbench({ config: { 'profile dev': { credential_process, region } } })
    await expectNothingLeaks(bench, { argv: ['--profile', 'dev'] }, 3)
  },
)

test.each<[url: (port: number) => string, answers: Parameters<typeof startForwardProxy>[0]['answers'], status: number]>(
  [
    [(port) => `http://dana:${canary}@127.0.0.1:${port}`, { status: 407, schemes: ['Basic'] }, 5],
    [(port) => `http://dana:${canary}@127.0.0.1:${port}`, { status: 407, schemes: ['NTLM'] }, 3],
    [(port) => `http://dana:${canary}@127.0.0.1:${port}`, { status: 403 }, 5],
    [(port) => `http://dana:${canary}@127.0.0.1:${port}`, { status: 503 }, 6],
    [(port) => `http://dana:${canary}@127.0.0.1:${port}`, 'silence', 7],
    [(port) => `dana:${canary}@127.0.0.1:${port}`, { status: 403 }, 5],
    [() => `http://dana:${canary}@127.0.0.1:1`, undefined, 6],
    [() => `http://dana:${canary}%@127.0.0.1:1`, undefined, 3],
    [() => `http://dana:a/${canary}@127.0.0.1:1`, undefined, 3],
    [() => `socks5://dana:${canary}@127.0.0.1:1`, undefined, 3],
    [() => `pac+http://dana:${canary}@127.0.0.1:1/x`, undefined, 3],
  ],
)('the password of a proxy leaks from no failure of that proxy (%#)', async (url, answers, status) => {
  await using bench = await startRoleBench()
  await using proxy = await startForwardProxy({ routes: {}, ...(answers && { answers }) })
  const env = { AWS_ENDPOINT_URL_STS: `https://${host}`, HTTPS_PROXY: url(proxy.port) }
  await expectNothingLeaks(bench, { argv: ['--profile', 'build'], env }, status)
})

test('neither a proxy password nor an API key in a variable reaches a child', async () => {
  await using bench = await startWorkbench()
  const seen = join(bench.home, 'seen')
  const path = await writeProgram(join(bench.home, 'print-keys'), `env > "${seen}"; exit 1`)
  await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
  const env = {
    GATEPASS_PROXY: `http://dana:${canary}@127.0.0.1:1`,
    VENDOR_API_KEY: canary,
    VENDOR_HELPER_CONTEXT: 'background',
    PATH: '/usr/bin:/bin',
    LANG: 'C',
  }
  await bench.run({ argv: ['--profile', 'dev'], env })
  const child = await readFile(seen, 'utf8')
  expect(child).not.toContain(canary)
  expect(child.match(/^(LANG|HOME|VENDOR_HELPER_CONTEXT|GATEPASS_\w+)=/gm)?.sort()).toEqual(
    ['GATEPASS_CREDENTIAL_PROCESS_OF=', 'HOME=', 'LANG=', 'VENDOR_HELPER_CONTEXT='].sort(),
  )
})

test('the list of processes shows only the arguments that were given', async () => {
  await using bench = await startRoleBench()
  await using front = await startFront(bench.aws.url)
  front.behave('silence')
  const env = { AWS_ENDPOINT_URL_STS: front.url, HTTPS_PROXY: `http://dana:${canary}@127.0.0.1:1` }
  const run = bench.run({ argv: ['--profile', 'build', '--client-timeout', '5'], env })
  await expect.poll(() => front.requests).toBe(1)
  const list = execFileSync('ps', ['-A', '-ww', '-o', 'comm=,args='], { encoding: 'utf8' })
  const own = list
    .split('\n')
    .filter((line) => line.includes('aws-bedrock-token') && line.includes('--client-timeout 5'))
  expect(own.length).toBeGreaterThan(0)
  expect(secretsOfBench(bench.aws).filter((secret) => own.join('\n').includes(secret))).toEqual([])
  await run
})
