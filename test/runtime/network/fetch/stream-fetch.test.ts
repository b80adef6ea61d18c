import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createStreamFetch } from '../../../../src/runtime/network/fetch/stream-fetch.ts'
import { toNetworkSettings } from '../../../../src/runtime/network/settings.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
const silenceHint = 'allow more time if the answer needs it; otherwise check the network, the VPN and the proxy'

async function start(answer: RequestListener, silenceSec = 60) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server, which listens
  const fetch = createStreamFetch({ network, silenceSec })
  return { host, fetch: (init: RequestInit = {}) => fetch(`http://${host}/x`, init) }
}

const failure = (error: unknown) => {
  const { kind, message, hint } = error as { kind?: string; message: string; hint?: string }
  return { kind, message, hint }
}

test('an answer is given before its body has come, and read chunk by chunk', async () => {
  const { fetch } = await start((_, response) => {
    response.writeHead(201, { 'x-part': 'yes' }).write('first')
    setTimeout(() => response.end(' second'), 10)
  })
  const response = await fetch({ method: 'POST', body: 'question' })
  expect([response.status, response.headers.get('x-part'), await response.text()]).toEqual([201, 'yes', 'first second'])
})

test('a status without a body has none', async () => {
  const { fetch } = await start((_, response) => void response.writeHead(204).end())
  expect((await fetch()).body).toBe(null)
})

test('a host that does not begin to answer is given up, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const { host, fetch } = await start((request) => void request.socket.once('close', closed.resolve), 0.05)
  expect(await fetch().catch(failure)).toEqual({
    kind: 'unavailable',
    message: `${host} was silent for 0.05 s (waiting for ${host} to answer)`,
    hint: silenceHint,
  })
  await closed.promise
})

test('a host that is silent in the middle of its answer is given up, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const { host, fetch } = await start((request, response) => {
    request.socket.once('close', closed.resolve)
    response.write('first')
  }, 0.05)
  const response = await fetch()
  expect(await response.text().catch(failure)).toEqual({
    kind: 'unavailable',
    message: `${host} was silent for 0.05 s (reading the answer of ${host})`,
    hint: silenceHint,
  })
  await closed.promise
})

test('while nobody reads, nothing is received and no silence counts', async () => {
  const { promise: reading, resolve: begin } = Promise.withResolvers<void>()
  const { fetch } = await start((_, response) => {
    response.flushHeaders()
    reading.then(() => response.end('whole'))
  }, 0.1)
  const response = await fetch()
  await sleep(150)
  const text = response.text()
  begin()
  expect(await text).toBe('whole')
})

test('an answer that breaks off is a failure of the network', async () => {
  const { host, fetch } = await start((_, response) => {
    response.writeHead(200, { 'content-length': '9' }).write('half')
    setTimeout(() => response.destroy(), 10)
  })
  const response = await fetch()
  expect(await response.text().catch(failure)).toMatchObject({
    kind: 'unavailable',
    message: `${host} cannot be reached (ECONNRESET)`,
  })
})

test('whoever asked can give up, before the answer and in the middle of it', async () => {
  const closed: (() => void)[] = []
  const asker = new AbortController()
  const { host, fetch } = await start((request, response) => {
    request.socket.once('close', () => closed.shift()?.())
    if (request.method === 'GET') response.write('first')
    else asker.abort()
  })
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  closed.push(first.resolve, second.resolve)
  const asked = fetch({ method: 'POST', signal: asker.signal })
  expect(await asked.catch(failure)).toMatchObject({ message: `${host} cannot be reached (ABORT_ERR)` })
  await first.promise
  const response = await fetch()
  await response.body?.cancel()
  await second.promise
})

test('nobody who listens is a failure of the network, and a plain address elsewhere is refused', async () => {
  const fetch = createStreamFetch({ network, silenceSec: 60 })
  expect(await fetch('http://127.0.0.1:1/', {}).catch(failure)).toMatchObject({
    kind: 'unavailable',
    message: '127.0.0.1:1 cannot be reached (ECONNREFUSED)',
  })
  expect(await fetch('http://169.254.169.254/', {}).catch(failure)).toMatchObject({ kind: 'not-configured' })
})
