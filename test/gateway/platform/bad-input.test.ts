import { createConnection } from 'node:net'
import { describe, expect, test } from 'vitest'
import { message, refusal, type Stage, startStage } from './stage.ts'

/** What the gateway answers to these bytes, until the connection ends. */
async function sendRaw({ url }: Stage, text: string): Promise<string> {
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

/** A request line by line, as no client library would send it. */
function request(head: readonly string[], body = ''): string {
  return [...head, `content-length: ${Buffer.byteLength(body)}`, 'connection: close', '', body].join('\r\n')
}

const statusOf = (answer: string) => answer.split(' ')[1]
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')).replace(/^[^{]*|[^}]*$/g, ''))

/** The gateway still does its work. */
async function stillServes({ send, seed }: Stage) {
  return (await send('POST', '/v1/messages', { as: seed.keys.personal.secret, body: message })).status === 200
}

describe('bad input gets the error envelope', () => {
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
  ])('a body of %s', async (_, body) => {
    const stage = await startStage()
    const { send, seed } = stage
    const options = { as: seed.keys.personal.secret, body: body || ' ' }
    for (const path of ['resources', `resources/${seed.resources.repository}`, 'events']) {
      const answer = await send('POST', `/v1/sessions/${seed.session}/${path}`, options)
      expect([path, refusal(answer).slice(0, 25)]).toEqual([path, '400 invalid_request_error'])
    }
    expect(await stillServes(stage)).toBe(true)
  })

  test('413: a body of more than 1 MiB, whether it says so or not', async () => {
    const stage = await startStage()
    const { send, seed, url } = stage
    const as = seed.keys.personal.secret
    expect(refusal(await send('POST', '/v1/messages', { as, body: ' '.repeat(1024 * 1024 + 1) }))).toBe(
      '413 invalid_request_error: the body is larger than 1048576 bytes',
    )
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
    const headers = {
      authorization: `Bearer ${as.reveal()}`,
      'vendor-version': '2023-06-01',
      'content-type': 'application/json',
    }
    const answer = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      headers,
      body: endless,
      duplex: 'half',
    } as RequestInit)
    expect([answer.status, ((await answer.json()) as { error: object }).error]).toEqual([
      413,
      { type: 'invalid_request_error', message: 'the body is larger than 1048576 bytes' },
    ])
    expect(await stillServes(stage)).toBe(true)
  })

  test('a stranger cannot have a large body read', async () => {
    const { send } = await startStage()
    expect((await send('POST', '/v1/messages', { body: ' '.repeat(1024 * 1024 + 1) })).status).toBe(401)
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
  ])('404: unknown route %s', async (path) => {
    const { send, seed } = await startStage()
    expect(refusal(await send('GET', path, { as: seed.keys.personal.secret }))).toBe(
      '404 not_found_error: there is no such route',
    )
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
  ])('405: %s %s answers %s only', async (method, path, allow) => {
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
  ])('path traversal and worse in an id: %j', async (id) => {
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
    'duplicate header %s | 400, because which of them counts would be a guess',
    async (name) => {
      const stage = await startStage()
      const head = [
        'POST /v1/messages HTTP/1.1',
        `host: ${new URL(stage.url).host}`,
        `${name}: a`,
        `${name.toUpperCase()}: a`,
      ]
      const answer = await sendRaw(stage, request(head, '{}'))
      expect([statusOf(answer), bodyOf(answer).error.message]).toEqual(['400', `${name} is there more than once`])
      expect(await stillServes(stage)).toBe(true)
    },
  )

  test('vendor-beta may be there more than once: it is an array', async () => {
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

describe('what is no HTTP is a closed connection, and the gateway goes on', () => {
  test.each<[what: string, head: readonly string[]]>([
    ['a header with a line break in it', ['x-a: b\rvendor-workspace-id: c']],
    ['a header name with a space', ['x a: b']],
    ['two lengths', ['content-length: 5', 'content-length: 6']],
    ['length and chunks', ['content-length: 5', 'transfer-encoding: chunked']],
    ['a NUL in a value', ['x-a: \0']],
    ['headers of 64 KiB', [`x-a: ${'a'.repeat(65_536)}`]],
  ])('%s', async (_, head) => {
    const stage = await startStage()
    const answer = await sendRaw(stage, ['POST /v1/messages HTTP/1.1', 'host: localhost', ...head, '', ''].join('\r\n'))
    expect(['400', '431', undefined]).toContain(statusOf(answer))
    expect(await stillServes(stage)).toBe(true)
  })

  test('no HTTP at all, and a client that goes away in the middle', async () => {
    const stage = await startStage()
    expect(statusOf(await sendRaw(stage, '\x16\x03\x01\x02\x00\x01\x00'))).toBe('400')
    const socket = createConnection({ port: Number(new URL(stage.url).port), host: '127.0.0.1' })
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{')
    socket.destroy()
    expect(await stillServes(stage)).toBe(true)
  })
})

describe('answers programs on its own machine only', () => {
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
  ])('called by the name %s it answers %s', async (host, status) => {
    const stage = await startStage()
    expect(statusOf(await sendRaw(stage, request(['POST /v1/messages HTTP/1.1', `host: ${host}`], '{}')))).toBe(status)
  })

  test('listens on 127.0.0.1 only', async () => {
    const { url } = await startStage()
    const elsewhere = await fetch(`http://127.0.0.2:${new URL(url).port}/`).catch((error) => error.cause.code)
    expect([new URL(url).hostname, elsewhere]).toEqual(['127.0.0.1', 'ECONNREFUSED'])
  })
})
