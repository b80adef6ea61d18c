import { createServer, type RequestListener } from 'node:http'
import { expect, test, vi } from 'vitest'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
const silenceHint = 'allow more time if the answer needs it; otherwise check the network, the VPN and the proxy'

async function start(answer: RequestListener) {
  const server = createServer(answer)
  const host = `127.0.0.1:${await listenDuringTest(server)}`
  const fetch = createStreamFetch({ network, silenceSec: 60 })
  return { host, fetch: (init: RequestInit = {}) => fetch(`http://${host}/x`, init) }
}

const failure = (error: unknown) => {
  const { kind, message, hint } = error as { kind?: string; message: string; hint?: string }
  return { kind, message, hint }
}

test('an answer is given before its body has come, and read chunk by chunk', async () => {
  const given = Promise.withResolvers<void>()
  const { fetch } = await start((_, response) => {
    response.writeHead(201, { 'x-part': 'yes' }).write('first')
    given.promise.then(() => response.end(' second'))
  })
  const response = await fetch({ method: 'POST', body: 'question' })
  given.resolve()
  expect([response.status, response.headers.get('x-part'), await response.text()]).toEqual([201, 'yes', 'first second'])
})

test('a status without a body has none', async () => {
  const { fetch } = await start((_, response) => void response.writeHead(204).end())
  expect((await fetch()).body).toBe(null)
})

test('a host that does not begin to answer is given up, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>()
  useFakeTimers()
  const { host, fetch } = await start((request) => {
    request.socket.once('close', closed.resolve)
    vi.advanceTimersByTime(60_000)
  })
  expect(await fetch().catch(failure)).toEqual({
    kind: 'unavailable',
    message: `${host} was silent for 60 s (waiting for ${host} to answer)`,
    hint: silenceHint,
  })
  await closed.promise
})

test('a host that is silent in the middle of its answer is given up, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const { host, fetch } = await start((request, response) => {
    request.socket.once('close', closed.resolve)
    response.write('first')
  })
  useFakeTimers()
  const reader = (await fetch()).body!.getReader()
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('first')
  const next = reader.read().catch(failure)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await next).toEqual({
    kind: 'unavailable',
    message: `${host} was silent for 60 s (reading the answer of ${host})`,
    hint: silenceHint,
  })
  await closed.promise
})

test('nothing is received and no silence counts while nobody reads', async () => {
  const { promise: reading, resolve: begin } = Promise.withResolvers<void>()
  const { fetch } = await start((_, response) => {
    response.flushHeaders()
    reading.then(() => response.end('whole'))
  })
  useFakeTimers()
  const response = await fetch()
  await vi.advanceTimersByTimeAsync(120_000)
  const text = response.text()
  begin()
  expect(await text).toBe('whole')
})

test('an answer that breaks off is a failure of the network', async () => {
  const given = Promise.withResolvers<void>()
  const { host, fetch } = await start((_, response) => {
    response.writeHead(200, { 'content-length': '9' }).write('half')
    given.promise.then(() => response.destroy())
  })
  const response = await fetch()
  given.resolve()
  expect(await response.text().catch(failure)).toEqual({
    kind: 'unavailable',
    message: `${host} cannot be reached (ECONNRESET)`,
    hint: `check what runs at ${host}`,
  })
})

test('the caller can give up before the answer and in the middle of it', async () => {
  const closed: (() => void)[] = []
  const caller = new AbortController()
  const { host, fetch } = await start((request, response) => {
    request.socket.once('close', () => closed.shift()?.())
    if (request.method === 'GET') response.write('first')
    else caller.abort()
  })
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  closed.push(first.resolve, second.resolve)
  const asked = fetch({ method: 'POST', signal: caller.signal })
  expect(await asked.catch(failure)).toEqual({
    message: `${host} cannot be reached (ABORT_ERR)`,
    kind: 'unavailable',
    hint: `check what runs at ${host}`,
  })
  await first.promise
  const response = await fetch()
  await response.body?.cancel()
  await second.promise
})

test('a host where nobody listens is a failure of the network, and plain http elsewhere is refused', async () => {
  const fetch = createStreamFetch({ network, silenceSec: 60 })
  expect(await fetch('http://127.0.0.1:1/', {}).catch(failure)).toEqual({
    hint: 'check what runs at 127.0.0.1:1',
    kind: 'unavailable',
    message: '127.0.0.1:1 cannot be reached (ECONNREFUSED)',
  })
  expect(await fetch('http://169.254.169.254/', {}).catch(failure)).toEqual({
    message: '169.254.169.254 would be asked over plain http, which anybody on the network can read',
    hint: 'write https:// in front of 169.254.169.254',
    kind: 'not-configured',
  })
})
