import { once } from 'node:events'
import { createConnection } from 'node:net'
import { describe, expect, test } from 'vitest'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { bodyWithoutEnd, message, refusal, type Stage, startStage } from '../stage.ts'

/** Returns the gateway's answer to these bytes, until the connection ends. */
async function sendRaw({ url }: Stage, text: string | Buffer): Promise<string> {
  const socket = createConnection({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.on('error', () => {}).write(text)
  const chunks: Buffer[] = []
  try {
    for await (const chunk of socket) chunks.push(chunk)
  } catch {
    // The connection was reset: what came before counts.
  }
  return Buffer.concat(chunks).toString()
}

/** Returns a request line by line, as no client library would send it. */
function request(head: readonly string[], body = ''): string {
  return [...head, `content-length: ${Buffer.byteLength(body)}`, 'connection: close', '', body].join('\r\n')
}

const statusOf = (answer: string) => answer.split(' ')[1]
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')).replace(/^[^{]*|[^}]*$/g, ''))

/** Requires that the gateway still works. */
async function stillServes({ send, seed }: Stage) {
  return (await send('POST', '/v1/messages', { as: seed.keys.personal.secret, body: message })).status === 200
}

describe('the gateway', () => {
  test.each<[what: string, body: string]>([
    ['nothing', ''],
    ['malformed JSON', '{"events":'],
    ['JSON twice', '{} {}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"a"'],
    ['deep nesting', '['.repeat(100_000)],
    ['a prototype', '{"__proto__":{"type":"file"}}'],
    ['NUL bytes', '\0\0\0'],
    ['invalid UTF-8 escapes', '{"events":"\\ud800"}'],
  ])('answers a body of %s with the error envelope', async (_, body) => {
    const stage = await startStage()
    const { send, seed } = stage
    const options = { as: seed.keys.personal.secret, body: body || ' ' }
    for (const path of ['resources', `resources/${seed.resources.repository}`, 'events']) {
      const answer = await send('POST', `/v1/sessions/${seed.session}/${path}`, options)
      expect([path, refusal(answer).slice(0, 25)]).toEqual([path, '400 invalid_request_error'])
    }
    expect(await stillServes(stage)).toBe(true)
  })

  test('answers a message of more than 32 MiB with 413, with or without a stated length', async () => {
    const stage = await startStage()
    const { send, seed, url } = stage
    const as = seed.keys.personal.secret
    const spaces = async (count: number) => refusal(await send('POST', '/v1/messages', { as, body: ' '.repeat(count) }))
    expect([await spaces(33_554_432), await spaces(33_554_433)]).toEqual([
      '400 invalid_request_error: the body is not JSON',
      '413 invalid_request_error: the body is larger than 33554432 bytes',
    ])
    const headers = {
      authorization: `Bearer ${as.reveal()}`,
      'vendor-version': '2023-06-01',
      'content-type': 'application/json',
    }
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers,
      body: bodyWithoutEnd(),
      duplex: 'half',
    } as RequestInit)
    expect([answer.status, ((await answer.json()) as { error: object }).error]).toEqual([
      413,
      { type: 'invalid_request_error', message: 'the body is larger than 33554432 bytes' },
    ])
    expect(await stillServes(stage)).toBe(true)
  })

  test('answers a message of 32 MiB with 200, whatever it consists of', async () => {
    const { send, seed } = await startStage()
    const ask = async (text: string, stream = false) => {
      const empty = JSON.stringify({ ...message, messages: [{ role: 'user', content: '' }], stream })
      const content = text.repeat((33_554_432 - empty.length) / text.length)
      const body = { ...message, messages: [{ role: 'user', content }], stream }
      const answer = await send('POST', '/v1/messages', { as: seed.keys.personal.secret, body })
      return stream ? answer.body.length > content.length : answer.body.content?.[0].text === content
    }
    expect([await ask('a'), await ask('a '), await ask(' '), await ask(' ', true)]).toEqual([true, true, true, true])
  })

  const tooLong = '413 invalid_request_error: the body is larger than 1048576 bytes'
  test.each(['resources', 'resources/none', 'events'])(
    'answers a body of more than 1 MiB to %s with 413',
    async (path) => {
      const { send, seed } = await startStage()
      const options = { as: seed.keys.personal.secret, body: ' '.repeat(1024 * 1024 + 1) }
      expect(refusal(await send('POST', `/v1/sessions/${seed.session}/${path}`, options))).toBe(tooLong)
    },
  )

  test('answers a body of more than 1 MiB to the token exchange, which requires no credential, with 413', async () => {
    const { send } = await startStage()
    expect(refusal(await send('POST', '/v1/oauth/token', { body: ' '.repeat(1024 * 1024 + 1) }))).toBe(tooLong)
  })

  test('refuses a body that is not UTF-8 without repairing it', async () => {
    const stage = await startStage()
    const { url, seed } = stage
    const body = JSON.stringify(message).replace('Hello?', '\xff\xfe')
    const head = [
      'POST /v1/messages HTTP/1.1',
      `host: ${new URL(url).host}`,
      `x-api-key: ${seed.keys.personal.secret.reveal()}`,
      'vendor-version: 2023-06-01',
      'content-type: application/json',
    ]
    const text = [...head, `content-length: ${body.length}`, 'connection: close', '', body].join('\r\n')
    const answer = await sendRaw(stage, Buffer.from(text, 'latin1'))
    expect([statusOf(answer), bodyOf(answer).error.message]).toEqual(['400', 'the body is not UTF-8'])
    expect(stage.state.sql.all`SELECT * FROM events`).toEqual([])
  })

  test('ignores a hundred thousand lists within each other in a field that nobody reads', async () => {
    const stage = await startStage()
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    const body = JSON.stringify({ ...message, extra: 0 }).replace(':0', `:${deep}`)
    const { status } = await stage.send('POST', '/v1/messages', { as: stage.seed.keys.personal.secret, body })
    expect({ status, stillServes: await stillServes(stage) }).toEqual({ status: 200, stillServes: true })
  })

  test.each([
    ['no host', 'GET /v1/messages HTTP/1.1', []],
    ['no host, HTTP/1.0', 'GET /v1/messages HTTP/1.0', []],
    ['an empty host', 'GET /v1/messages HTTP/1.1', ['host:']],
    ['a host with a space', 'GET /v1/messages HTTP/1.1', ['host: a b']],
    ['a host with a path', 'GET /v1/messages HTTP/1.1', ['host: localhost/v1']],
    ['a host with an impossible port', 'GET /v1/messages HTTP/1.1', ['host: localhost:99999']],
    ['no path', 'OPTIONS * HTTP/1.1', ['host: localhost']],
    ['a backslash in the path', 'GET /\\example.com/ HTTP/1.1', ['host: localhost']],
  ])('answers %s with 400, and ends the connection', async (_, line, head) => {
    const stage = await startStage()
    const answer = await sendRaw(stage, [line, ...head, '', ''].join('\r\n'))
    expect(toStableValue([statusOf(answer), bodyOf(answer)])).toEqual([
      '400',
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'the target of the request cannot be used' },
        request_id: 'req_ID',
      },
    ])
    expect(await stillServes(stage)).toBe(true)
  })

  test('answers a request with an unknown expectation', async () => {
    const stage = await startStage()
    const answer = await sendRaw(stage, request(['GET /v1 HTTP/1.1', 'host: localhost', 'expect: nothing']))
    expect([statusOf(answer), bodyOf(answer).error.type]).toEqual(['404', 'not_found_error'])
  })

  test('does not read a large body of a stranger', async () => {
    const { send } = await startStage()
    expect(refusal(await send('POST', '/v1/messages', { body: ' '.repeat(33_554_433) }))).toBe(
      '401 authentication_error: there is no credential: send it as "Authorization: Bearer <credential>"',
    )
  })

  test.each([
    '/',
    '/v1',
    '/v1/sessions',
    '/v1/messages/',
    '/v2/messages',
    '/v1/organizations',
    '/v1/messages%2f',
    '//v1/messages',
    '/%zz',
  ])('answers the unknown route %s with 404', async (path) => {
    const { send, seed } = await startStage()
    expect(refusal(await send('GET', path, { as: seed.keys.personal.secret }))).toBe(
      '404 not_found_error: there is no such route',
    )
  })

  // As the TypeScript SDK of a vendor sends them.
  test.each([
    ['POST', '/v1/messages/count_tokens', 404, 'not_found_error: there is no such route'],
    ['POST', '/v1/messages/count_tokens?beta=true', 404, 'not_found_error: there is no such route'],
    ['GET', '/v1/models', 404, 'not_found_error: there is no such route'],
    ['GET', '/v1/models/m?beta=true', 404, 'not_found_error: there is no such route'],
    ['GET', '/v1/sessions/s/events?beta=true', 405, 'invalid_request_error: this path answers POST only'],
    ['GET', '/v1/sessions/s/events/stream?beta=true', 404, 'not_found_error: there is no such route'],
  ])('answers %s %s, which published clients send besides, with %i', async (method, path, status, said) => {
    const { send, seed } = await startStage()
    const body = method === 'POST' ? { model: 'm', messages: [{ role: 'user', content: 'hi' }] } : undefined
    const answer = await send(method, path, { as: seed.keys.personal.secret, body })
    expect([refusal(answer), answer.body.request_id]).toEqual([`${status} ${said}`, answer.headers.get('request-id')])
  })

  test.each([
    ['GET', '/v1/messages', 'POST'],
    ['PUT', '/v1/sessions/s/resources', 'GET, POST'],
    ['DELETE', '/v1/sessions/s/resources/r', 'GET, POST'],
    ['GET', '/v1/sessions/s/events', 'POST'],
    ['GET', '/v1/oauth/token', 'POST'],
    ['POST', '/v1/organizations/api_keys', 'GET'],
    ['PATCH', '/v1/organizations/workspaces', 'GET'],
    ['OPTIONS', '/v1/messages', 'POST'],
  ])('answers %s %s with 405, because it allows %s only', async (method, path, allow) => {
    const { send } = await startStage()
    const answer = await send(method, path)
    expect([answer.status, answer.body.error.type, answer.headers.get('allow')]).toEqual([
      405,
      'invalid_request_error',
      allow,
    ])
  })

  test.each([
    '..',
    '../..',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    '%00',
    "' OR 1=1 --",
    'sesn_%',
    '%F0%9F%99%82',
    'a'.repeat(4000),
  ])('answers path traversal and worse in an id with 404: %j', async (id) => {
    const stage = await startStage()
    const { url, seed } = stage
    const target = `/v1/sessions/${id.replaceAll(' ', '%20')}/resources`
    const head = [
      `GET ${target} HTTP/1.1`,
      `host: ${new URL(url).host}`,
      `x-api-key: ${seed.keys.personal.secret.reveal()}`,
    ]
    const answer = await sendRaw(stage, request([...head, 'vendor-beta: managed-agents-2026-04-01']))
    expect([statusOf(answer), bodyOf(answer).error.type]).toEqual(['404', 'not_found_error'])
  })

  test.each(['authorization', 'x-api-key', 'vendor-version', 'vendor-workspace-id', 'content-type'])(
    'refuses a duplicate header %s, because which of them counts would be a guess',
    async (name) => {
      const stage = await startStage()
      const head = [
        'POST /v1/messages HTTP/1.1',
        `host: ${new URL(stage.url).host}`,
        `${name}: a`,
        `${name.toUpperCase()}: a`,
      ]
      const answer = await sendRaw(stage, request(head, '{}'))
      expect([statusOf(answer), bodyOf(answer).error.message]).toEqual(['400', `${name} is sent more than once`])
      expect(await stillServes(stage)).toBe(true)
    },
  )

  test('refuses a duplicate header host like any name that is not this machine', async () => {
    const stage = await startStage()
    const head = ['POST /v1/messages HTTP/1.1', 'host: localhost', 'host: example.com']
    expect(statusOf(await sendRaw(stage, request(head)))).toBe('403')
  })

  test('accepts vendor-beta more than once, because it is a list', async () => {
    const stage = await startStage()
    const { seed, url } = stage
    const head = [
      `GET /v1/sessions/${seed.session}/resources HTTP/1.1`,
      `host: ${new URL(url).host}`,
      `x-api-key: ${seed.keys.personal.secret.reveal()}`,
      'vendor-beta: skills-2025-10-02',
      'vendor-beta: managed-agents-2026-04-01',
    ]
    expect(statusOf(await sendRaw(stage, request(head)))).toBe('200')
  })
})

describe('a connection that does not speak HTTP', () => {
  test.each<[what: string, head: readonly string[]]>([
    ['a header with a line break in it', ['x-a: b\rvendor-workspace-id: c']],
    ['a header name with a space', ['x a: b']],
    ['two lengths', ['content-length: 5', 'content-length: 6']],
    ['length and chunks', ['content-length: 5', 'transfer-encoding: chunked']],
    ['a NUL in a value', ['x-a: \0']],
    ['headers of 64 KiB', [`x-a: ${'a'.repeat(65_536)}`]],
  ])('is closed for %s', async (_, head) => {
    const stage = await startStage()
    const answer = await sendRaw(stage, ['POST /v1/messages HTTP/1.1', 'host: localhost', ...head, '', ''].join('\r\n'))
    expect(['400', '431', undefined]).toContain(statusOf(answer))
    expect(await stillServes(stage)).toBe(true)
  })

  test('is closed after random bytes, or when the client disconnects in the middle', async () => {
    const stage = await startStage()
    expect(statusOf(await sendRaw(stage, '\x16\x03\x01\x02\x00\x01\x00'))).toBe('400')
    const socket = createConnection({ port: Number(new URL(stage.url).port), host: '127.0.0.1' })
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{')
    socket.destroy()
    expect(await stillServes(stage)).toBe(true)
  })
})

describe('nothing is lost', () => {
  test('a hundred requests on one connection, sent before the first is answered, are all answered in order', async () => {
    const stage = await startStage()
    const { url, seed, records } = stage
    const head = (index: number, connection: string) =>
      [
        `GET /v1/sessions/${seed.session}/resources?limit=${index} HTTP/1.1`,
        `host: ${new URL(url).host}`,
        `x-api-key: ${seed.keys.personal.secret.reveal()}`,
        'vendor-beta: managed-agents-2026-04-01',
        `connection: ${connection}`,
        ...['', ''],
      ].join('\r\n')
    // Every third is refused: its limit is 0.
    const requests = Array.from({ length: 99 }, (_, index) => head(index % 3, 'keep-alive'))
    const answer = await sendRaw(stage, [...requests, head(1, 'close')].join(''))
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
    expect(statuses).toEqual(Array.from({ length: 100 }, (_, index) => (index % 3 === 0 && index < 99 ? 400 : 200)))
    expect(records.map(({ status }) => status)).toEqual(statuses)
  })

  test.each([
    ['of a known length', 'content-length: 100', '{'],
    ['of unknown length', 'transfer-encoding: chunked', '5\r\n{'],
  ])('a client that disconnects within a body %s is recorded, and nothing is changed', async (_, length, part) => {
    const stage = await startStage()
    const { url, seed, records } = stage
    const socket = createConnection({ port: Number(new URL(url).port), host: '127.0.0.1' })
    const head = [
      `POST /v1/sessions/${seed.session}/events HTTP/1.1`,
      'host: localhost',
      `x-api-key: ${seed.keys.personal.secret.reveal()}`,
      'vendor-beta: managed-agents-2026-04-01',
      'content-type: application/json',
      length,
      'expect: 100-continue',
    ]
    socket.write([...head, '', part].join('\r\n'))
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 100 /) // the gateway has the request
    socket.destroy()
    await expect
      .poll(() => records.map(({ status, reason }) => [status, reason]))
      .toEqual([[400, 'the client has disconnected']])
    expect(await stillServes(stage)).toBe(true)
  })
})

describe('the listener on this machine', () => {
  test('refuses what a browser sends for a web page, under the id of the request', async () => {
    const { send, seed } = await startStage()
    const headers = { origin: 'https://example.com' }
    const answer = await send('POST', '/v1/messages', { as: seed.keys.personal.secret, headers, body: message })
    expect([answer.status, answer.body.error.type]).toEqual([403, 'permission_error'])
    expect(answer.headers.get('request-id')).toBe(answer.body.request_id)
  })

  test.each([
    ['localhost:1', '401'],
    ['[::1]', '401'],
    ['example.com', '403'],
    ['127.0.0.1.example.com', '403'],
  ])('answers a request to the name %s with %s', async (host, status) => {
    const stage = await startStage()
    expect(statusOf(await sendRaw(stage, request(['POST /v1/messages HTTP/1.1', `host: ${host}`], '{}')))).toBe(status)
  })

  test('listens on 127.0.0.1 only', async () => {
    const { url } = await startStage()
    const elsewhere = await fetch(`http://127.0.0.2:${new URL(url).port}/`).catch((error) => error.cause.code)
    expect([new URL(url).hostname, elsewhere]).toEqual(['127.0.0.1', 'ECONNREFUSED'])
  })
})
