import { expect, test } from 'vitest'
import { planClientLaunch } from '../../../src/client/launch/run-for-client.ts'
import type { ClientName } from '../../../src/contract/clients.ts'
import { clients } from '../../../src/contract/clients.ts'

const call = { command: '/opt/a b', args: ['%x%'] }

test.each<[ClientName, object, object]>([
  ['codex', call, { command: { file: '/opt/a b', args: ['%x%'] } }],
  ['aws', call, { command: { file: '/opt/a b', args: ['%x%'] } }],
  ['api-key-helper', call, { command: { file: '/bin/sh', args: ['-c', "'/opt/a b' '%x%'"] } }],
  ['git', { ...call, operation: 'erase' }, { command: { file: '/bin/sh', args: ['-c', "'/opt/a b' '%x%' erase"] } }],
  ['bazel', { command: '/x', args: [], operation: 'get' }, { command: { file: '/x', args: ['get'] } }],
  ['bazel', call, { problem: 'Bazel passes no arguments of a helper, only those of its protocol' }],
  ['kubernetes', { command: 'x', args: [] }, { problem: 'the command is not an absolute path' }],
  ['desktop', call, { problem: 'argument 1 is longer than 1024 characters or holds ", % or a control character' }],
])('%s starts a helper in its own way', (name, started, launch) => {
  expect(planClientLaunch(clients[name], { ...call, ...started }, 'linux')).toEqual(launch)
})

test('kubectl says which version it wants, and that nobody can be asked', () => {
  expect(JSON.parse(clients.kubernetes.variables?.KUBERNETES_EXEC_INFO ?? '')).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: { interactive: false },
  })
})
