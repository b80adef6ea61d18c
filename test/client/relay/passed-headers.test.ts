import { expect, test } from 'vitest'
import { toClientHeaders, toGatewayHeaders } from '../../../src/client/relay/forward-request.ts'
import { Secret } from '../../../src/runtime/secret.ts'

const token = new Secret('token-1')

test('headers of the document decide neither where a body ends nor whom the request is for', () => {
  const headers = { 'Content-Length': '1', 'Transfer-Encoding': 'gzip', Connection: 'x', Host: 'other', 'X-Team': 'a' }
  expect(toGatewayHeaders(['content-length', '5'], { token, scheme: 'bearer', headers })).toEqual({
    'content-length': ['5'],
    'x-team': 'a',
    authorization: 'Bearer token-1',
  })
})

test('a key of the document is sent in its header, and the client’s in none', () => {
  const raw = ['authorization', 'Bearer a', 'x-api-key', 'a', 'accept', 'a', 'Accept', 'b']
  expect(toGatewayHeaders(raw, { token, scheme: 'x-api-key', headers: {} })).toEqual({
    accept: ['a', 'b'],
    'x-api-key': 'token-1',
  })
})

test('a length that Connection names is passed on', () => {
  const raw = ['connection', 'Content-Length, x-hop', 'content-length', '5', 'X-Hop', 'a', 'X-Kept', 'b']
  const expected = ['content-length', '5', 'X-Kept', 'b']
  expect(toClientHeaders(raw)).toEqual(expected)
})
