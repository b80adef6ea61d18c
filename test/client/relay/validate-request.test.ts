import { describe, expect, test } from 'vitest'
import { validateRequest } from '../../../src/client/relay/validate-request.ts'
import { readText, startGatewayStage } from './relay-stage.ts'

/** Returns the status and message of a raw answer, or the whole of one without a message. */
function toOutcome(answer: string): string {
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
  const message = /"message":"([^"]*)"/.exec(answer)?.[1]
  return `${status} ${message ?? 'passed'}`
}

/** Sends each request on a connection of its own; what the gateway has seen comes back too. */
async function startStage() {
  const seen: string[] = []
  const stage = await startGatewayStage(async (request, response) => {
    seen.push(`${request.method} ${request.url} ${await readText(request)}`)
    response.end('an answer')
  })
  const send = async (text: string) => {
    const client = stage.open()
    client.socket.write(text)
    return toOutcome(await client.readAll())
  }
  const request = ({
    start = 'GET / HTTP/1.1',
    host = stage.host,
    key = stage.key,
    lines = [] as readonly string[],
    body = '',
  }) => `${[start, `Host: ${host}`, `x-api-key: ${key}`, 'Connection: close', ...lines, '', body].join('\r\n')}`
  return { ...stage, seen, send, request }
}

const noKey = '401 this address takes only requests of the client that was started with it'
const web = '403 requests of web pages are not passed on'
const otherName = '403 the Host header is wrong'
const unreadable = '400 the request is not HTTP/1.1, too large or too slow'
const target = '400 the target of the request is not a plain path'

describe('a program of another user', () => {
  test.each<[what: string, lines: (key: string) => readonly string[]]>([
    ['no key', () => []],
    ['another key', () => ['x-api-key: another']],
    ['an empty key', () => ['x-api-key:']],
    ['a part of the key', (key) => [`x-api-key: ${key.slice(0, -1)}`]],
    ['the key and more', (key) => [`x-api-key: ${key}x`]],
    ['the key in another case', (key) => [`x-api-key: ${key.toUpperCase()}_`]],
    ['the key with another scheme', (key) => [`authorization: Basic ${key}`]],
    ['the key without a scheme', (key) => [`authorization: ${key}`]],
    ['the key in a cookie', (key) => [`cookie: key=${key}`]],
    ['the key beside another one', (key) => [`x-api-key: ${key}`, 'authorization: Bearer another']],
  ])('with %s is refused', async (_what, lines) => {
    const { host, key, send, seen } = await startStage()
    const text = `GET / HTTP/1.1\r\nHost: ${host}\r\n${lines(key).join('\r\n')}${lines(key).length > 0 ? '\r\n' : ''}\r\n`
    expect({ outcome: await send(text), seen }).toEqual({ outcome: noKey, seen: [] })
  })

  test('is refused although it sends a body without an end', async () => {
    const { host, send, seen } = await startStage()
    const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect({ outcome: await send(`${head}5\r\nfirst\r\n`), seen }).toEqual({ outcome: noKey, seen: [] })
  })
})

describe('a web page', () => {
  test.each<[what: string, options: { start?: string; host?: string; lines?: readonly string[] }, outcome: string]>([
    ['whose name was made to resolve here', { host: 'evil.example' }, otherName],
    ['by that name and this port', { host: 'evil.example:80' }, otherName],
    ['by another name of this machine', { host: 'localhost:80' }, otherName],
    ['by an address without its port', { host: '127.0.0.1' }, otherName],
    ['with its origin', { lines: ['Origin: https://evil.example'] }, web],
    ['with the origin of a file', { lines: ['Origin: null'] }, web],
    ['in a frame or image', { lines: ['Sec-Fetch-Site: cross-site'] }, web],
    ['that a person has typed', { lines: ['Sec-Fetch-Site: none', 'Sec-Fetch-User: ?1'] }, web],
    [
      'that sends a preflight (CORS)',
      { start: 'OPTIONS / HTTP/1.1', lines: ['Origin: https://evil.example', 'Access-Control-Request-Method: POST'] },
      web,
    ],
    [
      'that asks for a private network',
      { start: 'OPTIONS / HTTP/1.1', lines: ['Access-Control-Request-Private-Network: true'] },
      web,
    ],
  ])('%s is refused, even with the key', async (_what, options, outcome) => {
    const { request, send, seen } = await startStage()
    expect({ outcome: await send(request(options)), seen }).toEqual({ outcome, seen: [] })
  })

  test('is given no leave by a header', async () => {
    const stage = await startStage()
    const client = stage.open()
    client.socket.write(stage.request({ start: 'OPTIONS / HTTP/1.1', lines: ['Origin: https://evil.example'] }))
    expect(await client.readAll()).not.toMatch(/access-control/i)
  })

  test('is distinguished from the fetch of Node, which states its mode', async () => {
    const { request, send } = await startStage()
    expect(await send(request({ lines: ['Sec-Fetch-Mode: cors'] }))).toBe('200 passed')
  })
})

describe('a request that can be read in two ways', () => {
  const chunked = 'Transfer-Encoding: chunked'
  const lastChunk = '0\r\n\r\n'
  const otherCoding = '400 the body has a transfer coding other than chunked'

  test.each<[what: string, options: { start?: string; lines?: readonly string[]; body?: string }, outcome: string]>([
    ['two lengths', { lines: ['Content-Length: 1', 'Content-Length: 2'], body: 'ab' }, unreadable],
    ['the same length twice', { lines: ['Content-Length: 1', 'Content-Length: 1'], body: 'a' }, unreadable],
    ['a list of lengths', { lines: ['Content-Length: 1, 1'], body: 'a' }, unreadable],
    ['a length with a sign', { lines: ['Content-Length: +1'], body: 'a' }, unreadable],
    ['a length and chunks', { lines: ['Content-Length: 3', chunked], body: lastChunk }, unreadable],
    ['chunks and a length', { lines: [chunked, 'Content-Length: 3'], body: lastChunk }, unreadable],
    ['chunks twice', { lines: [chunked, chunked], body: lastChunk }, unreadable],
    ['chunks within another coding', { lines: ['Transfer-Encoding: gzip, chunked'], body: lastChunk }, otherCoding],
    ['another coding', { lines: ['Transfer-Encoding: xchunked'], body: lastChunk }, otherCoding],
    ['a size of a chunk with more behind it', { lines: [chunked], body: `1 x\r\na\r\n${lastChunk}` }, unreadable],
    ['two hosts', { lines: ['Host: evil.example'] }, '400 the header host is there more than once'],
    ['two keys', { lines: ['x-api-key: another'] }, '400 the header x-api-key is there more than once'],
    ['a folded header', { lines: ['x: y', ' Content-Length: 3'] }, unreadable],
    ['a space before the colon', { lines: ['Content-Length : 3'] }, unreadable],
    ['a header that a line feed alone ends', { lines: ['x: y\nContent-Length: 3'] }, unreadable],
    ['a NUL in a header', { lines: ['x: \0'] }, unreadable],
    ['an older protocol', { start: 'GET / HTTP/1.0' }, '400 the request is not HTTP/1.1'],
    ['a later protocol', { start: 'GET / HTTP/2.0' }, '400 the request is not HTTP/1.1'],
    ['another protocol', { lines: ['Upgrade: websocket'] }, '400 no connection is changed to another protocol here'],
    ['a target of another host', { start: 'GET http://evil.example/ HTTP/1.1' }, target],
    ['a target that begins like one', { start: 'GET //evil.example/ HTTP/1.1' }, target],
    ['a target above the path', { start: 'GET /v1/../../admin HTTP/1.1' }, target],
    ['one that is escaped', { start: 'GET /v1/%2E%2e/admin HTTP/1.1' }, target],
    ['one with its slash escaped', { start: 'GET /v1/..%2fadmin HTTP/1.1' }, target],
    ['one whose slashes are all escaped', { start: 'GET /v1%2f..%2f..%2fadmin HTTP/1.1' }, target],
    ['one whose backslashes are escaped', { start: 'GET /v1%5C..%5C..%5Cadmin HTTP/1.1' }, target],
    ['one with a parameter', { start: 'GET /..;x/admin HTTP/1.1' }, target],
    ['one with an escaped parameter', { start: 'GET /v1/%2e%2e%3bx/admin HTTP/1.1' }, target],
    ['one with backslashes', { start: 'GET /v1\\..\\admin HTTP/1.1' }, target],
    ['all targets', { start: 'OPTIONS * HTTP/1.1' }, target],
    ['its echo', { start: 'TRACE / HTTP/1.1' }, '400 requests with TRACE are not passed on'],
    [
      'headers without an end',
      { lines: [`x: ${'a'.repeat(70_000)}`] },
      '431 the request is not HTTP/1.1, too large or too slow',
    ],
  ])('with %s is refused, or forwarded in one form', async (_what, options, outcome) => {
    const { request, send, seen } = await startStage()
    const found = await send(request(options))
    expect({ found, seen: seen.filter((line) => !line.startsWith('POST / ')) }).toEqual({ found: outcome, seen: [] })
  })

  test.each(['/v1/models', '/v1/a..b/.c/...', '/v1beta/models/m:generateContent?alt=sse&q=../..'])(
    '%s cannot be read in two ways',
    async (path) => {
      const { request, send, seen } = await startStage()
      const outcome = await send(request({ start: `GET ${path} HTTP/1.1` }))
      expect({ outcome, seen }).toEqual({ outcome: '200 passed', seen: [`GET ${path} `] })
    },
  )

  test('a tunnel is not opened', async () => {
    const { open, host, key } = await startStage()
    const client = open()
    client.socket.write(`CONNECT evil.example:443 HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key}\r\n\r\n`)
    expect(await client.readAll()).toBe('')
  })

  test('a request hidden in the body of another stays a body', async () => {
    const { request, send, seen, host, key } = await startStage()
    const hidden = `GET /hidden HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key}\r\n\r\n`
    const lines = [`Content-Length: ${hidden.length}`]
    const outcome = await send(request({ start: 'POST / HTTP/1.1', lines, body: hidden }))
    expect({ outcome, seen }).toEqual({ outcome: '200 passed', seen: [`POST / ${hidden}`] })
  })
})

test('bytes after a refused request are not read as another request', async () => {
  const { fetch, request, send, seen, host, key } = await startStage()
  const refused = request({ start: 'POST / HTTP/1.1', lines: ['Transfer-Encoding: gzip, chunked'], body: '0\r\n\r\n' })
  const hidden = `GET /hidden HTTP/1.1\r\nHost: ${host}\r\nx-api-key: ${key}\r\n\r\n`
  await (await fetch('/')).text() // a connection to the gateway is open then
  seen.length = 0
  expect({ outcome: await send(refused.replace('Connection: close\r\n', '') + hidden), seen }).toEqual({
    outcome: '400 the body has a transfer coding other than chunked',
    seen: [],
  })
})

test.each<[what: string, raw: readonly string[], message: string]>([
  [
    'the same length twice',
    ['content-length', '1', 'Content-Length', '1'],
    'the header content-length is there more than once',
  ],
  ['chunks and a length', ['transfer-encoding', 'chunked', 'content-length', '1'], 'the body has two lengths'],
  ['a length with a sign', ['content-length', '+1'], 'the length of the body is not a number'],
  [
    'chunks twice',
    ['transfer-encoding', 'chunked', 'Transfer-Encoding', 'chunked'],
    'the header transfer-encoding is there more than once',
  ],
])('%s is refused even if a parser lets it pass', (_what, raw, message) => {
  const request = { httpVersion: '1.1', method: 'POST', url: '/', rawHeaders: [...raw] }
  const identity = { host: 'host', key: 'key' }
  expect(validateRequest(request, identity)).toEqual({ status: 400, type: 'invalid_request_error', message })
})
