import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { servePage } from '../../../../src/cli/config/edit/serve-page.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'

async function startPage() {
  const seen = { reused: 0, finished: 0 }
  const server = await servePage({
    html: '<!doctype html><title>a page</title>',
    open: async (session) => ({ session, text: 'the document' }),
    answers: {
      echo: async (body) => body,
      fail: async () => {
        throw new HelperError('refused', 'it is read-only', 'make it writable')
      },
      finish: async () => ({}),
    },
    onReused: () => {
      seen.reused += 1
    },
    onFinished: () => {
      seen.finished += 1
    },
  })
  onTestFinished(() => server.close())
  const { origin, port, hash } = new URL(server.address)
  const ask = (
    path: string,
    headers: Readonly<Record<string, string | string[]>> = {},
    { method = 'POST', body = '{"a":1}' } = {},
  ) => send({ port, path, method, headers: { host: `127.0.0.1:${port}`, origin, ...headers }, body })
  const key = hash.slice(1)
  const open = async () => JSON.parse((await ask('/api/open', { 'x-page-key': key })).body).session as string
  return { origin, port, key, seen, ask, open }
}

const json = { 'content-type': 'application/json' }

async function send(options: {
  readonly port: string
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly body: string
}) {
  const { port, path, method, headers, body } = options
  const sent = request({ host: '127.0.0.1', port, path, method, headers, setHost: false })
  sent.end(method === 'GET' ? undefined : body)
  const [response] = await once(sent, 'response')
  return { status: response.statusCode as number, body: await text(response), headers: response.headers }
}

const refused = { status: 403, body: '{"problem":"requests of other pages are refused"}' }
const otherName = { status: 403, body: '{"problem":"the Host header is wrong"}' }
const wrongKey = { status: 401, body: '{"problem":"the key is missing or wrong"}' }

const toShown = ({ status, body }: Awaited<ReturnType<typeof send>>) => ({ status, body })

describe('the page', () => {
  test('is served without a key, with headers that forbid framing, caching and sniffing', async () => {
    const { ask } = await startPage()
    const { status, body, headers } = await ask('/', {}, { method: 'GET' })
    const { date: _, ...rest } = headers
    expect({ status, body, headers: rest }).toEqual({
      status: 200,
      body: '<!doctype html><title>a page</title>',
      headers: {
        'cache-control': 'no-store',
        'content-security-policy': "frame-ancestors 'none'",
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-type': 'text/html; charset=utf-8',
        connection: 'close',
        'transfer-encoding': 'chunked',
      },
    })
  })

  test.each(['/index.html', '/api/echo', '/?key=1', '//'])('GET %s is refused', async (path) => {
    const { ask } = await startPage()
    expect(toShown(await ask(path, {}, { method: 'GET' }))).toEqual({
      status: 404,
      body: '{"problem":"there is no such page"}',
    })
  })
})

describe('the key of the address', () => {
  test('opens one session, and is refused afterwards', async () => {
    const { ask, key, seen } = await startPage()
    const first = await ask('/api/open', { 'x-page-key': key })
    const { session, ...rest } = JSON.parse(first.body)
    const ofSession = { isLong: /^[\w-]{43}$/.test(session), isKey: session === key }
    const second = toShown(await ask('/api/open', { 'x-page-key': key }))
    expect({ first: { status: first.status, ...rest, ...ofSession }, second, reused: seen.reused }).toEqual({
      first: { status: 200, text: 'the document', isLong: true, isKey: false },
      second: { status: 410, body: '{"problem":"this address has been opened before, and works once"}' },
      reused: 1,
    })
  })

  test('is not a session', async () => {
    const { ask, key, open } = await startPage()
    await open()
    expect(toShown(await ask('/api/echo', { ...json, 'x-page-key': key }))).toEqual(wrongKey)
  })

  test('has a session that survives a reload of the tab', async () => {
    const { ask, open } = await startPage()
    const session = await open()
    const again = await ask('/api/open', { 'x-page-key': session })
    expect(toShown(again)).toEqual({ status: 200, body: JSON.stringify({ session, text: 'the document' }) })
  })

  test.each(['', 'wrong', 'A'.repeat(43)])('cannot be replaced by %o', async (key) => {
    const { ask, open, seen } = await startPage()
    const closed = await ask('/api/open', { 'x-page-key': key })
    await open()
    const opened = await ask('/api/echo', { ...json, 'x-page-key': key })
    expect({ answers: [closed, opened].map(toShown), seen }).toEqual({
      answers: [wrongKey, wrongKey],
      seen: { reused: 0, finished: 0 },
    })
  })
})

describe('a request with the session', () => {
  test('is answered', async () => {
    const { ask, open } = await startPage()
    expect(toShown(await ask('/api/echo', { ...json, 'x-page-key': await open() }))).toEqual({
      status: 200,
      body: '{"a":1}',
    })
  })

  test.each([
    ['of another origin', { origin: 'https://evil.example' }, refused],
    ['of another port of this machine', { origin: 'http://127.0.0.1:1' }, refused],
    ['of a page without an origin', { origin: 'null' }, refused],
    ['of this machine by another name', { origin: 'http://localhost:1' }, refused],
    ['that a browser calls cross-site', { 'sec-fetch-site': 'cross-site' }, refused],
    ['of another port, as a browser calls it', { 'sec-fetch-site': 'same-site' }, refused],
    ['for a name that leads here (DNS rebinding)', { host: 'evil.example' }, otherName],
    ['for localhost', { host: 'localhost' }, otherName],
    ['without a port', { host: '127.0.0.1' }, otherName],
  ])('%s is refused', async (_, headers, expected) => {
    const { ask, open } = await startPage()
    expect(toShown(await ask('/api/echo', { ...json, 'x-page-key': await open(), ...headers }))).toEqual(expected)
  })

  test('without an origin or with two is refused', async () => {
    const { port, origin, ask, open } = await startPage()
    const headers = { ...json, 'x-page-key': await open() }
    const host = `127.0.0.1:${port}`
    const without = await send({ port, path: '/api/echo', method: 'POST', headers: { ...headers, host }, body: '{}' })
    expect(toShown(without)).toEqual(refused)
    expect(toShown(await ask('/api/echo', { ...headers, origin: [origin, origin] }))).toEqual({
      status: 403,
      body: '{"problem":"a header was sent more than once"}',
    })
  })

  test('that a page asks for in advance is not allowed (CORS)', async () => {
    const { ask } = await startPage()
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-page-key' }
    const { status, headers } = await ask(
      '/api/echo',
      { origin: 'https://evil.example', ...asked },
      { method: 'OPTIONS' },
    )
    const allowed = Object.keys(headers).filter((name) => name.startsWith('access-control-'))
    expect({ status, allowed }).toEqual({ status: 403, allowed: [] })
  })

  test.each([
    ['/api/echo', {}, '{}', { status: 415, body: '{"problem":"the body has to be JSON"}' }],
    [
      '/api/echo',
      { 'content-type': 'text/plain' },
      '{}',
      { status: 415, body: '{"problem":"the body has to be JSON"}' },
    ],
    ['/api/echo', json, '{', { status: 400, body: '{"problem":"the body is not JSON"}' }],
    ['/api/none', json, '{}', { status: 404, body: '{"problem":"there is no such page"}' }],
    ['/api/constructor', json, '{}', { status: 404, body: '{"problem":"there is no such page"}' }],
    ['/api/fail', json, '{}', { status: 422, body: '{"problem":"it is read-only: make it writable"}' }],
    ['/api/../api/echo', json, '{}', { status: 404, body: '{"problem":"there is no such page"}' }],
  ])('to %s is answered by its headers and its body: %o, %s', async (path, headers, body, expected) => {
    const { ask, open } = await startPage()
    expect(toShown(await ask(path, { ...headers, 'x-page-key': await open() }, { body }))).toEqual(expected)
  })

  test('a body that never ends is refused', async () => {
    const { ask, open } = await startPage()
    const body = ' '.repeat(64 * 1024 * 1024 + 1)
    expect(toShown(await ask('/api/echo', { ...json, 'x-page-key': await open() }, { body }))).toEqual({
      status: 413,
      body: '{"problem":"the request is too long"}',
    })
  })

  test('that ends the command is answered first', async () => {
    const { ask, open, seen } = await startPage()
    const session = await open()
    const finish = async (key: string) => toShown(await ask('/api/finish', { ...json, 'x-page-key': key }))
    expect([await finish('wrong'), seen.finished, await finish(session)]).toEqual([
      wrongKey,
      0,
      { status: 200, body: '{}' },
    ])
    await expect.poll(() => seen.finished).toBe(1)
  })
})

test('a connection that does not speak HTTP is closed, and does not end the server', async () => {
  const { port, ask } = await startPage()
  const socket = connect(Number(port), '127.0.0.1')
  socket.end('\x16\x03\x01 hello\r\n\r\n')
  const answer = await text(socket)
  const { status } = await ask('/', {}, { method: 'GET' })
  expect({ answer, status }).toEqual({
    answer: 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n',
    status: 200,
  })
})
