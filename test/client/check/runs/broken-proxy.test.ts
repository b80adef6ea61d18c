import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startBrokenProxy } from '../../../../src/client/check/runs/broken-proxy.ts'

/** Opens a connection and tells what happens to it within a moment. */
async function comeTo(proxy: string | undefined): Promise<string> {
  const { hostname, port } = new URL(proxy ?? '')
  const socket = connect(Number(port), hostname)
  socket.write('CONNECT gateway.example:443 HTTP/1.1\r\n\r\n')
  const silence = new Promise<string>((late) => setTimeout(late, 300, 'silence'))
  const end = Promise.withResolvers<string>()
  socket.on('error', () => end.resolve('a refusal'))
  once(socket, 'data').then(
    () => end.resolve('an answer'),
    () => {}, // an error, which is dealt with above
  )
  const outcome = await Promise.race([end.promise, silence])
  socket.destroy()
  return outcome
}

test.each([
  ['dead', 'a refusal'],
  ['hanging', 'silence'],
] as const)('a %s network answers a connection with %s, and counts it', async (how, outcome) => {
  await using proxy = await startBrokenProxy(how)
  expect([await comeTo(proxy.env.HTTPS_PROXY), proxy.connections()]).toEqual([outcome, 1])
})

test('the variables of a broken proxy stand in capitals and small letters, and nothing is exempt', async () => {
  await using proxy = await startBrokenProxy('dead')
  const { NO_PROXY, no_proxy, ...named } = proxy.env
  expect([NO_PROXY, no_proxy, new Set(Object.values(named)).size]).toEqual([undefined, undefined, 1])
  expect(Object.keys(named).sort()).toEqual([
    'ALL_PROXY',
    'HTTPS_PROXY',
    'HTTP_PROXY',
    'all_proxy',
    'http_proxy',
    'https_proxy',
  ])
})
