import { once } from 'node:events'
import { createConnection } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/start-gateway.ts'
import { bodyWithoutEnd } from './stage.ts'

const verify: Parameters<typeof startGateway>[0]['verify'] = (token) =>
  token.startsWith('good') ? { ok: true } : { ok: false, reason: 'not good' }

const turn = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hello?' }] }

async function start(settings: Parameters<typeof startGateway>[0] = { verify }) {
  const gateway = await startGateway(settings)
  onTestFinished(() => gateway.close())
  const send = async (
    headers: Record<string, string> = { authorization: 'Bearer good' },
    body: string | ReadableStream = JSON.stringify(turn),
  ) => read(await fetch(`${gateway.url}/v1/messages`, { method: 'POST', headers, body, duplex: 'half' } as RequestInit))
  return { gateway, send }
}

/** Status and body, with the ids that differ in every run replaced by their prefix. */
async function read(response: Response) {
  const text = (await response.text()).replace(/"(req|msg)_[0-9a-f-]{36}"/, '"$1_…"')
  return { status: response.status, body: JSON.parse(text) }
}

const answered = (text: string) => ({
  status: 200,
  body: { id: 'msg_…', type: 'message', role: 'assistant', content: [{ type: 'text', text }] },
})
const refused = (status: number, type: string, message: string) => ({
  status,
  body: { type: 'error', error: { type, message }, request_id: 'req_…' },
})
const unauthorized = refused(401, 'authentication_error', 'the credential is not accepted')
const badBody = refused(400, 'invalid_request_error', 'the body is not a messages request')

test('repeats the last message for an accepted token', async () => {
  const { send } = await start()
  const messages = [
    ...turn.messages,
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Wie geht’s? 🙂' },
  ]
  expect(await send(undefined, JSON.stringify({ ...turn, messages }))).toEqual(answered('Wie geht’s? 🙂'))
})

test.each<[what: string, headers: Record<string, string>, outcome: object]>([
  ['a bearer token', { authorization: 'Bearer good' }, answered('Hello?')],
  ['a scheme in any case', { authorization: 'bearer good' }, answered('Hello?')],
  ['a key', { 'x-api-key': 'good' }, answered('Hello?')],
  ['the same token in both headers', { authorization: 'Bearer good', 'x-api-key': 'good' }, answered('Hello?')],
  ['two accepted tokens that differ', { authorization: 'Bearer good-1', 'x-api-key': 'good-2' }, unauthorized],
  ['no token', {}, unauthorized],
  ['another scheme', { authorization: 'Basic good' }, unauthorized],
  ['no scheme', { authorization: 'good' }, unauthorized],
  ['two words', { authorization: 'Bearer good good' }, unauthorized],
  ['a token that is not accepted', { authorization: 'Bearer bad' }, unauthorized],
])('verifies a request with %s', async (_, headers, outcome) => {
  const { send } = await start()
  expect(await send(headers)).toEqual(outcome)
})

test('records status, verdict and configured headers of each request without the token', async () => {
  const { gateway, send } = await start()
  await send({ authorization: 'Bearer good-canary', 'X-Team': 'a' })
  await send({ 'x-api-key': 'bad-canary', 'X-Team': 'b' })
  await send({})
  await send({ authorization: 'Bearer good-canary' }, 'x')
  expect(gateway.records).toEqual([
    { status: 200, verdict: { ok: true }, headers: { 'x-team': 'a' } },
    { status: 401, verdict: { ok: false, reason: 'not good' }, headers: { 'x-team': 'b' } },
    { status: 401, verdict: { ok: false, reason: 'no credential' }, headers: {} },
    { status: 400, verdict: { ok: true }, headers: {} },
  ])
})

test.each<[what: string, body: string]>([
  ['nothing', ''],
  ['malformed JSON', '{"model":'],
  ['another kind of JSON', '[]'],
  ['null', 'null'],
  ['no messages', JSON.stringify({ ...turn, messages: [] })],
  ['a message without content', JSON.stringify({ ...turn, messages: [{ role: 'user' }] })],
  ['no tokens to answer with', JSON.stringify({ ...turn, max_tokens: 0 })],
])('refuses a body of %s', async (_, body) => {
  const { send } = await start()
  expect(await send(undefined, body)).toEqual(badBody)
})

test('does not validate the body of a refused request', async () => {
  const { send } = await start()
  expect(await send({}, '{')).toEqual(unauthorized)
})

const limit = 32 * 1024 * 1024
const tooLarge = refused(413, 'invalid_request_error', 'the body is too large')

test('reads a body of 32 MiB, and refuses one byte more', async () => {
  const { send } = await start()
  const padded = JSON.stringify(turn).padEnd(limit, ' ')
  expect(await send(undefined, padded)).toEqual(answered('Hello?'))
  expect(await send(undefined, `${padded} `)).toEqual(tooLarge)
})

test('refuses a body without a stated length that does not end', async () => {
  const { send } = await start()
  expect(await send(undefined, bodyWithoutEnd())).toEqual(tooLarge)
})

test.each([
  ['GET', '/v1/messages'],
  ['POST', '/v1/other'],
  ['GET', '/'],
])('has no route %s %s', async (method, path) => {
  const { gateway } = await start()
  expect(await read(await fetch(gateway.url + path, { method }))).toEqual(
    refused(404, 'not_found_error', 'there is no such route'),
  )
})

test('revokes every token that it has accepted, and no other', async () => {
  const { gateway, send } = await start()
  await send({ authorization: 'Bearer good-1' })
  gateway.revokeAll()
  expect([await send({ authorization: 'Bearer good-1' }), await send({ authorization: 'Bearer good-2' })]).toEqual([
    unauthorized,
    answered('Hello?'),
  ])
  expect(gateway.records.map(({ verdict }) => verdict)).toEqual([
    { ok: true },
    { ok: false, reason: 'revoked' },
    { ok: true },
  ])
})

test('requires a token with verification off, but accepts any', async () => {
  const { gateway, send } = await start({ verify: 'off' })
  const outcomes = [await send({ authorization: 'Bearer bad' })]
  gateway.revokeAll()
  outcomes.push(await send({ authorization: 'Bearer bad' }), await send({}))
  expect(outcomes).toEqual([answered('Hello?'), answered('Hello?'), unauthorized])
})

test('an error in the verification is answered without details', async () => {
  const { send } = await start({
    verify: () => {
      throw new Error('canary')
    },
  })
  expect(await send()).toEqual(refused(500, 'api_error', 'this is a defect of the gateway'))
})

const forPrograms = refused(403, 'permission_error', 'this gateway answers programs on its own machine only')

test('refuses what a browser sends for a web page', async () => {
  const { send } = await start()
  expect(await send({ authorization: 'Bearer good', origin: 'https://example.com' })).toEqual(forPrograms)
})

test.each([
  ['127.0.0.1', 200],
  ['localhost:1', 200],
  ['[::1]', 200],
  ['[::1]:1', 200],
  ['127.1.2.3:1', 200],
  ['LOCALHOST', 200],
  ['[::ffff:7f1:1]', 403],
  ['0.0.0.0', 403],
  ['localhost.example.com:1', 403],
  ['example.com', 403],
  ['127.0.0.1.example.com', 403],
])('answers a request to the name %s with %s', async (host, status) => {
  const { gateway } = await start()
  const body = JSON.stringify(turn)
  const head = `POST /v1/messages HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer good\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`
  const socket = createConnection({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' })
  socket.write(head + body)
  const answer = Buffer.concat(await socket.toArray()).toString()
  expect(answer.split(' ')[1]).toBe(String(status))
})

test('listens on 127.0.0.1 only', async () => {
  const { gateway } = await start()
  const { hostname, port } = new URL(gateway.url)
  const elsewhere = await fetch(`http://127.0.0.2:${port}/`).then(
    () => 'open',
    (error) => error.cause.code,
  )
  expect({ hostname, elsewhere }).toEqual({ hostname: '127.0.0.1', elsewhere: 'ECONNREFUSED' })
})

test('closes although a request is in progress', async () => {
  const { gateway, send } = await start()
  await send()
  const socket = createConnection({ port: Number(new URL(gateway.url).port), host: '127.0.0.1' })
  socket.on('error', () => {}).write('POST /v1/messages HTTP/1.1\r\nhost: ')
  await once(socket, 'connect')
  await send()
  await gateway.close()
  expect(await send().catch(({ cause }) => cause.code)).toBe('ECONNREFUSED')
})

const streamed = JSON.stringify({ ...turn, stream: true })

async function readEvents(url: string) {
  const headers = { authorization: 'Bearer good' }
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: streamed })
  const types = [...(await response.text()).matchAll(/^event: (.+)$/gm)].map(([, type]) => type)
  return { contentType: response.headers.get('content-type'), types }
}

const whole = ['content_block_start', 'content_block_delta', 'content_block_stop', 'message_stop']

test('streams its answer to a request for a stream', async () => {
  const { gateway } = await start()
  expect(await readEvents(gateway.url)).toEqual({
    contentType: 'text/event-stream',
    types: ['message_start', ...whole],
  })
})

test('is silent for the given time, except for a ping every 15 seconds', async () => {
  const slept: number[] = []
  const { gateway } = await start({
    verify,
    sleep: async (ms) => {
      slept.push(ms)
    },
  })
  gateway.failureMode.silentMs = 40_000
  expect({ types: (await readEvents(gateway.url)).types, slept }).toEqual({
    types: ['message_start', 'ping', 'ping', 'ping', ...whole],
    slept: [15_000, 15_000, 10_000],
  })
})

test('stops when the reader of a silent answer disconnects', async () => {
  const { gateway } = await start()
  gateway.failureMode.silentMs = 600_000
  const abort = new AbortController()
  const headers = { authorization: 'Bearer good' }
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers,
    body: streamed,
    signal: abort.signal,
  })
  expect(response.status).toBe(200)
  abort.abort()
})

test.each([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [529, 'overloaded_error'],
  [503, 'api_error'],
])('answers every request with %s while it is set to', async (status, type) => {
  const { gateway, send } = await start()
  gateway.failureMode.status = status
  const first = await send()
  delete gateway.failureMode.status
  expect([first, await send()]).toEqual([
    refused(status, type, 'this gateway is set to answer with this status'),
    answered('Hello?'),
  ])
})
