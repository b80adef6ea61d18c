import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { listen, runClient, startConsumer } from './start-consumer.ts'

const group = 'client.authentication.k8s.io'
const token = (number: number) => `made-up-access-token-${number}`

const answers: Readonly<Record<string, unknown>> = {
  '/version': { major: '1', minor: '32', gitVersion: 'v1.32.0' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': {
    kind: 'APIResourceList',
    groupVersion: 'v1',
    resources: [{ name: 'namespaces', singularName: '', namespaced: false, kind: 'Namespace', verbs: ['get', 'list'] }],
  },
  '/api/v1/namespaces': {
    kind: 'NamespaceList',
    apiVersion: 'v1',
    metadata: {},
    items: [{ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'default' } }],
  },
}

const unauthorized = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', code: 401 }

/** Starts an API server that takes some bearers, and remembers which it saw. */
async function startApi(isGood: (bearer: string) => boolean) {
  const authority = createAuthority('Kubernetes')
  const seen: string[] = []
  const server = createServer(authority.issue({ names: ['127.0.0.1'] }), ({ url = '', headers }, response) => {
    const bearer = (headers.authorization ?? '').replace(/^Bearer /, '')
    seen.push(bearer)
    const answer = isGood(bearer) ? answers[new URL(url, 'https://api').pathname] : unauthorized
    response.writeHead(answer === unauthorized ? 401 : answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }))
  })
  const port = await listen(server)
  return { server: `https://127.0.0.1:${port}`, authority, seen }
}

/** kubectl with a kubeconfig whose user is our helper. */
async function startKubectl(version: string, isGood: (bearer: string) => boolean) {
  const api = await startApi(isGood)
  const { source, command, run } = await startConsumer(['--format', 'exec-credential'])
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'c',
        cluster: {
          server: api.server,
          'certificate-authority-data': Buffer.from(api.authority.cert).toString('base64'),
        },
      },
    ],
    users: [
      {
        name: 'u',
        user: {
          exec: {
            apiVersion: `${group}/${version}`,
            command: command[0],
            args: command.slice(1),
            interactiveMode: 'Never',
          },
        },
      },
    ],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
  // YAML contains JSON.
  const path = join(await temporaryDirectory(), 'kubeconfig')
  await writeFile(path, JSON.stringify(config))
  const kubectl = (...argv: string[]) => run('kubectl', ['--kubeconfig', path, ...argv])
  return { ...api, source, kubectl }
}

/** Each kubectl knows its versions: `v1` is in 1.22. */
async function listVersions(): Promise<string[]> {
  const { stdout } = await runClient('kubectl', ['version', '--client', '--output=json'], {})
  const { minor } = (JSON.parse(stdout) as { clientVersion: { minor: string } }).clientVersion // its documented form
  return Number.parseInt(minor, 10) >= 22 ? ['v1', 'v1beta1'] : ['v1beta1']
}

test('kubectl gets a token in every version that it knows, and the next kubectl the same one', async () => {
  for (const version of await listVersions()) {
    const { source, kubectl, seen } = await startKubectl(version, (bearer) => bearer === token(1))
    const runs = [
      await kubectl('get', 'namespaces', '--output=name'),
      await kubectl('get', 'namespaces', '--output=name'),
    ]
    expect({ runs, mints: source.mints(), seen: new Set(seen) }).toEqual({
      runs: Array(2).fill(prints('namespace/default\n')),
      mints: 1,
      seen: new Set([token(1)]),
    })
  }
})

test('kubectl that runs the helper again after a 401 gets a new token, and goes on with it', async () => {
  const { source, kubectl, seen } = await startKubectl((await listVersions())[0]!, (bearer) => bearer === token(2))
  // A token of the last seconds is given once more, because another new one would be refused alike.
  // The words on stderr are those of the installed kubectl.
  const { stderr: _, ...refused } = await kubectl('get', 'namespaces', '--output=name')
  const before = source.mints()
  await ageEntry(source.home)
  const { stderr: __, ...accepted } = await kubectl('get', 'namespaces', '--output=name')
  expect({ refused, before, accepted, mints: source.mints(), seen: new Set(seen) }).toEqual({
    refused: { status: 1, stdout: '' },
    before: 1,
    accepted: { status: 0, stdout: 'namespace/default\n' },
    mints: 2,
    seen: new Set([token(1), token(2)]),
  })
})

/** Makes the cached token a minute older than it is. */
async function ageEntry(home: string): Promise<void> {
  const directory = join(home, '.cache', 'gatepass')
  const name = (await readdir(directory)).find((file) => file.endsWith('.json')) ?? ''
  const entry = JSON.parse(await readFile(join(directory, name), 'utf8'))
  await writeFile(join(directory, name), JSON.stringify({ ...entry, minted: entry.minted - 60_000 }))
}
