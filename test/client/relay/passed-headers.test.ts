import { expect, test } from 'vitest'
import type { ApiCredential } from '../../../src/api/api-fetch.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { createCountingSource, startGatewayStage, startRawGateway, startRelayStage } from './relay-stage.ts'

/** Sends a request with these headers through a relay with this credential; gives the headers that the gateway gets. */
async function pass(lines: readonly string[], credential: Partial<ApiCredential>): Promise<unknown> {
  const seen: unknown[] = []
  const held: ApiCredential = { token: new Secret('token-1'), scheme: 'bearer', headers: {}, ...credential }
  const source = { ...createCountingSource().source, current: async () => held }
  const stage = await startGatewayStage(({ headers: { host: _, connection: __, ...headers } }, response) => {
    seen.push(headers)
    response.end()
  }, source)
  const client = stage.open()
  const own = [
    `Host: ${stage.host}`,
    `Authorization: Bearer ${stage.key}`,
    `x-api-key: ${stage.key}`,
    'Connection: close',
  ]
  client.socket.write(['POST / HTTP/1.1', ...own, ...lines, '', 'hello'].join('\r\n'))
  await client.readAll()
  return seen
}

test('headers of the document decide neither where a body ends nor whom the request is for', async () => {
  const headers = { 'Content-Length': '1', 'Transfer-Encoding': 'gzip', Connection: 'x', Host: 'other', 'X-Team': 'a' }
  expect(await pass(['Content-Length: 5'], { headers })).toEqual([
    { 'content-length': '5', 'x-team': 'a', authorization: 'Bearer token-1' },
  ])
})

test('a key of the document is sent in its header, and the client’s in none', async () => {
  const lines = ['accept: a', 'Accept: b', 'Content-Length: 5']
  expect(await pass(lines, { scheme: 'x-api-key' })).toEqual([
    { accept: 'a, b', 'content-length': '5', 'x-api-key': 'token-1' },
  ])
})

test('a length that Connection names is passed on', async () => {
  const answer = 'Connection: Content-Length, x-hop\r\nContent-Length: 5\r\nX-Hop: a\r\nX-Kept: b\r\n\r\nhello'
  const stage = await startRelayStage(await startRawGateway((socket) => socket.end(`HTTP/1.1 200 OK\r\n${answer}`)))
  const { headers } = await stage.fetch('/')
  expect([...headers].filter(([name]) => name !== 'connection' && name !== 'keep-alive')).toEqual([
    ['content-length', '5'],
    ['x-kept', 'b'],
  ])
})
