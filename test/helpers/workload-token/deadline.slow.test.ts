import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { startFullServer } from '../../stand-ins/deaf-servers.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { audience } from '../../stand-ins/identity/identity-provider.ts'
import { type Call, failure, startWorkbench, type Workbench } from './workbench.ts'

// Without the cache, whose opening takes its share of the time on a busy machine.
const impatient = ['--client-timeout', '5', '--cache', 'none', '--audience', audience]
const slow = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"

/** Requires that a helper gave up by itself, in time, and named what it waited for. */
async function expectLate(bench: Workbench, call: Required<Call>, stage: string): Promise<void> {
  const begin = Date.now()
  const outcome = await bench.run({ ...call, argv: [...bench.target, ...impatient, ...call.argv] })
  expect({ outcome, isInTime: Date.now() - begin < 5_000 }).toEqual({
    outcome: failure(7, `${stage} took longer than the 3 s of this call`, slow),
    isInTime: true,
  })
}

const names = {
  url: 'URL/identity',
  'github-actions': 'GitHub Actions',
  google: "Google's metadata service",
  azure: "Azure's metadata service",
  'app-service': "Azure's identity endpoint",
  aws: 'AWS STS in eu-central-1',
} as const

test.each(Object.entries(names))('%s that says nothing', async (name, who) => {
  const service = name as keyof typeof names // the keys of the table
  await using bench = await startWorkbench()
  bench.services.disturb(service, 'silence', 'always')
  const { host } = new URL(bench.services.url)
  const url = ['--identity-url', `${bench.services.url}/identity`, '--identity-headers-variable', 'HEADERS']
  const argv = ['--identity', service === 'app-service' ? 'azure' : service, ...(service === 'url' ? url : [])]
  const stage = `waiting for ${host} to answer`
  const asked = who.replace('URL', bench.services.url)
  await expectLate(bench, { argv, env: bench.services.environment(service) }, `${asked} (${stage})`)
})

/** The rest of an answer, which arrives byte by byte. */
test.each(Object.keys(names))('%s whose answer drips', async (name) => {
  const service = name as keyof typeof names // the keys of the table
  await using bench = await startWorkbench()
  await using front = await startFront(bench.services.url)
  front.behave('drip')
  const { host } = new URL(front.url)
  const led = Object.entries(bench.services.environment(service)).map(([key, value]) => [
    key,
    value.replace(new URL(bench.services.url).host, host),
  ])
  const url = ['--identity-url', `${front.url}/identity`, '--identity-headers-variable', 'HEADERS']
  const argv = ['--identity', service === 'app-service' ? 'azure' : service, ...(service === 'url' ? url : [])]
  const stage = `reading the answer of ${host}`
  await expectLate(
    bench,
    { argv, env: Object.fromEntries(led) },
    `${names[service].replace('URL', front.url)} (${stage})`,
  )
})

/** Minutes, different from those of any other run of these tests. */
const forever = `301.${process.pid}`

test('a command that hangs is killed with everything it started', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'print-token')
  await writeFile(path, `#!/bin/sh\ntrap '' TERM HUP INT\nsleep ${forever} & sleep ${forever}\n`, { mode: 0o700 })
  await expectLate(bench, { argv: ['--identity', 'command', '--identity-command', path], env: {} }, path)
  // The system removes a killed process later, which takes time on a busy machine.
  await expect.poll(() => findProcesses(`sleep\0${forever}`), { timeout: 5_000 }).toEqual([])
})

test.each<[what: string, argv: (path: string) => string[], env: (path: string) => Record<string, string>]>([
  ['file', (path) => ['file', '--identity-file', path], () => ({})],
  ['service account', (path) => ['kubernetes', '--identity-file', path], () => ({})],
  ['federated file', () => ['azure'], (path) => ({ AZURE_FEDERATED_TOKEN_FILE: path })],
  ['AWS configuration', () => ['aws'], (path) => ({ AWS_CONFIG_FILE: path })],
  [
    'file of headers',
    (path) => ['url', '--identity-url', 'https://127.0.0.1:1/', '--identity-headers-file', path],
    () => ({}),
  ],
])('a %s that nobody ever writes to', async (_, argv, env) => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'fifo')
  await execa('mkfifo', [path])
  const stage = `reading the configuration (waiting for ${path})`
  await expectLate(bench, { argv: ['--identity', ...argv(path)], env: env(path) }, stage)
})

test('a metadata service that accepts no connection is given up long before the deadline', async () => {
  await using bench = await startWorkbench()
  const host = `127.0.0.1:${await startFullServer()}`
  const begin = Date.now()
  const argv = [...bench.target, '--identity', 'google', '--audience', audience]
  expect(await bench.run({ argv, env: { GCE_METADATA_HOST: host } })).toEqual(
    failure(
      6,
      `Google's metadata service: ${host} cannot be reached (ETIMEDOUT)`,
      'run this on Google Cloud with a service account attached, or set identity to where the identity token is',
    ),
  )
  expect(Date.now() - begin).toBeLessThan(5_000)
})

test('a machine without a metadata service says so', async () => {
  await using bench = await startWorkbench()
  const argv = [...bench.target, '--identity', 'azure', '--audience', audience]
  const env = { AZURE_POD_IDENTITY_AUTHORITY_HOST: 'http://127.0.0.1:1/' }
  expect(await bench.run({ argv, env })).toEqual(
    failure(
      6,
      "Azure's metadata service: 127.0.0.1:1 cannot be reached (ECONNREFUSED)",
      'run this on Azure with a managed identity assigned, and name one with azure-client if there are several; audience must be a resource that the directory knows',
    ),
  )
})

/** Ids of the processes of this machine with such a command line. */
async function findProcesses(commandLine: string): Promise<string[]> {
  const found = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      // A process may end while we look.
      .map(async (id) => ({ id, line: await readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '') })),
  )
  return found.filter(({ line }) => line.startsWith(commandLine)).map(({ id }) => id)
}
