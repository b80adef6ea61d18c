import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { findProcesses } from '../../setup/find-processes.ts'
import { startFullServer } from '../../stand-ins/deaf-servers.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { audience } from '../../stand-ins/identity/identity-provider.ts'
import { type Call, failure, startWorkbench, type Workbench } from './workbench.ts'

// Without the cache, whose opening takes its share of the time on a busy machine, as runs that start at once take theirs.
const impatient = ['--client-timeout', '9', '--cache', 'none', '--audience', audience]
const slow = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"

/** Requires that a helper gave up by itself, in time, and named what it waited for. */
async function expectLate(bench: Workbench, call: Required<Call>, stage: string): Promise<void> {
  const begin = Date.now()
  const outcome = await bench.run({ ...call, argv: [...bench.target, ...impatient, ...call.argv] })
  expect({ outcome, isInTime: Date.now() - begin < 9_000 }).toEqual({
    outcome: failure(7, `${stage} took longer than the 7 s of this call`, slow),
    isInTime: true,
  })
}

/** The services, and how a message names each. */
const names = {
  url: 'URL/identity',
  'github-actions': 'GitHub Actions',
  google: "Google's metadata service",
  azure: "Azure's metadata service",
  'app-service': "Azure's identity endpoint",
  aws: 'AWS STS in eu-central-1',
} as const

type Service = keyof typeof names

const services = Object.keys(names) as Service[] // the keys of the table

test('every service that says nothing is given up in time, and named', async () => {
  await using bench = await startWorkbench()
  const { url } = bench.services
  for (const service of services) bench.services.disturb(service, 'silence', 'always')
  const stage = `waiting for ${new URL(url).host} to answer`
  const runs = services.map((service) =>
    expectLate(
      bench,
      { argv: renderIdentity(service, url), env: bench.services.environment(service) },
      `${names[service].replace('URL', url)} (${stage})`,
    ),
  )
  await Promise.all(runs)
})

/** The rest of the answer arrives byte by byte. */
test('every service whose answer drips is given up in time, and named', async () => {
  await using bench = await startWorkbench()
  await using front = await startFront(bench.services.url)
  front.behave('drip')
  const [own, led] = [bench.services.url, front.url].map((url) => new URL(url).host) as [string, string]
  const runs = services.map((service) => {
    const variables = Object.entries(bench.services.environment(service))
    const env = Object.fromEntries(variables.map(([key, value]) => [key, value.replace(own, led)]))
    const stage = `reading the answer of ${led}`
    const argv = renderIdentity(service, front.url)
    return expectLate(bench, { argv, env }, `${names[service].replace('URL', front.url)} (${stage})`)
  })
  await Promise.all(runs)
})

/** Renders the arguments that name a service, of which one needs an address. */
function renderIdentity(service: Service, url: string): string[] {
  const address = ['--identity-url', `${url}/identity`, '--identity-headers-variable', 'HEADERS']
  return ['--identity', service === 'app-service' ? 'azure' : service, ...(service === 'url' ? address : [])]
}

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

const unwritten: readonly (readonly [
  argv: (path: string) => string[],
  env: (path: string) => Record<string, string>,
])[] = [
  [(path) => ['file', '--identity-file', path], () => ({})],
  [(path) => ['kubernetes', '--identity-file', path], () => ({})],
  [() => ['azure'], (path) => ({ AZURE_FEDERATED_TOKEN_FILE: path })],
  [() => ['aws'], (path) => ({ AWS_CONFIG_FILE: path })],
  [(path) => ['url', '--identity-url', 'https://127.0.0.1:1/', '--identity-headers-file', path], () => ({})],
]

test('every file to which nobody ever writes is given up in time, and named', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'fifo')
  await execa('mkfifo', [path])
  const stage = `reading the configuration (waiting for ${path})`
  const runs = unwritten.map(([argv, env]) =>
    expectLate(bench, { argv: ['--identity', ...argv(path)], env: env(path) }, stage),
  )
  await Promise.all(runs)
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
