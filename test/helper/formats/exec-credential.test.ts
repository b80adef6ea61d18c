import { expect, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { testNow } from '../../setup/test-host.ts'
import { createBadge, createFormatDesk, refused } from './format-desk.ts'

const argv = ['--format', 'exec-credential']
const ask = (info: unknown) => ({ env: { KUBERNETES_EXEC_INFO: JSON.stringify(info) } })
const answer = (version: string, end = ',"expirationTimestamp":"2026-01-15T13:59:59Z"') =>
  `{"apiVersion":"client.authentication.k8s.io/${version}","kind":"ExecCredential","status":{"token":"badge-1"${end}}}\n`

test.each<[version: string, info: unknown]>([
  ['v1', { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', spec: { interactive: false } }],
  ['v1beta1', { apiVersion: 'client.authentication.k8s.io/v1beta1', kind: 'ExecCredential', spec: {} }],
])('a client that asks for %s gets it, with the end of the token', async (version, info) => {
  const desk = await createFormatDesk()
  expect(await desk.run(argv, ask(info))).toEqual(prints(answer(version)))
})

test('without a client it is v1, and has no end where none is known', async () => {
  const desk = await createFormatDesk(createBadge('no known end'))
  expect(await desk.run(argv)).toEqual(prints(answer('v1', '')))
})

test('a version that is not known is a usage error', async () => {
  const desk = await createFormatDesk()
  expect(await desk.run(argv, ask({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }))).toEqual(
    refused(
      2,
      'KUBERNETES_EXEC_INFO asks for a version other than client.authentication.k8s.io/v1 and client.authentication.k8s.io/v1beta1',
      'write apiVersion: client.authentication.k8s.io/v1 into the exec section of the kubeconfig; kubectl before 1.22 takes client.authentication.k8s.io/v1beta1',
    ),
  )
})

test.each(['{', 'null', '[]', '{"apiVersion":1}'])('a variable of %j is a usage error', async (text) => {
  const desk = await createFormatDesk()
  expect(await desk.run(argv, { env: { KUBERNETES_EXEC_INFO: text } })).toEqual(
    refused(
      2,
      'KUBERNETES_EXEC_INFO is not an ExecCredential in JSON with an apiVersion',
      'let kubectl set it, or unset KUBERNETES_EXEC_INFO',
    ),
  )
})

const at = (seconds: number) => {
  const now = testNow + seconds * 1000
  return { clock: { now: () => now, startedAt: now, elapsedMs: () => 0 } }
}

test('a process that asks again had its token refused, and gets a new one', async () => {
  const desk = await createFormatDesk()
  const tokenAt = async (seconds: number) => /badge-\d/.exec((await desk.run(argv, at(seconds))).stdout)?.[0]
  const tokens: (string | undefined)[] = []
  for (const seconds of [0, 9, 60, 65, 120]) tokens.push(await tokenAt(seconds))
  expect(tokens).toEqual(['badge-1', 'badge-1', 'badge-2', 'badge-2', 'badge-3'])
})

test('a process that asks for the first time is served from the cache, and an explanation does not count as asking', async () => {
  const desk = await createFormatDesk()
  await desk.run([])
  await desk.run([...argv, '--explain'], at(60))
  expect((await desk.run(argv, at(60))).stdout).toBe(
    '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"badge-1","expirationTimestamp":"2026-01-15T13:59:59Z"}}\n',
  )
})
