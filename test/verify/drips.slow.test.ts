import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Fetch } from '../../src/runtime/network/network-fetch.ts'
import { toNetworkSettings } from '../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../src/runtime/network/stream-fetch.ts'
import { verifyCallerIdentity } from '../../src/verify/aws/verify-caller-identity.ts'
import { createIssuerKeys } from '../../src/verify/jwt/issuer-keys.ts'
import { verifyJwt } from '../../src/verify/jwt/verify-jwt.ts'
import { TokenRefusal } from '../../src/verify/verdict.ts'
import { listenDuringTest } from '../setup/listen-during-test.ts'
import { encodeUrl, signUrl } from '../stand-ins/caller-identity/sign-proof.ts'
import { audience, credentials, trust } from './aws/outcome.ts'
import { createTestKey, createTrust, now, signClaims } from './jwt/issuer.ts'

// As the verifier itself has it: who drips is never silent for so long.
const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
const fetch = createStreamFetch({ network, silenceSec: 10 })

/** Writes a blank ten times a second until the connection ends. */
function drip(socket: Socket, text = ' '): void {
  const timer = setInterval(() => socket.write(text), 100)
  socket.once('close', () => clearInterval(timer))
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n'

/** Requests that are never finished, and never silent. */
const answers: Readonly<Record<string, (socket: Socket) => void>> = {
  'a body that drips': (socket) => {
    socket.write(head)
    drip(socket)
  },
  'a head that drips': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nx-word: ')
    drip(socket, 'a')
  },
  'a status that drips': (socket) => {
    socket.write('HTTP/1.1 200 ')
    drip(socket, 'a')
  },
  'provisional answers': (socket) => drip(socket, 'HTTP/1.1 102 Processing\r\n\r\n'),
  'chunks that drip': (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    drip(socket, '1\r\n \r\n')
  },
  'a late head, and then a body that drips': (socket) => {
    const timer = setTimeout(() => {
      socket.write(head)
      drip(socket)
    }, 3_500)
    socket.once('close', () => clearTimeout(timer))
  },
}

async function startServer(answer: (socket: Socket, request: string) => void) {
  let open = 0
  const server: Server = createServer((socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
    })
    socket.on('error', () => {})
    socket.on('data', (bytes) => answer(socket, String(bytes)))
  })
  const port = await listenDuringTest(server)
  return { url: `http://127.0.0.1:${port}`, countOpen: () => open }
}

/** How a verification ended, after how many seconds, and that its connection was closed. */
async function measure(work: unknown, countOpen: () => number) {
  const startedAt = performance.now()
  const reason = await Promise.resolve(work).then(
    () => 'passes',
    (thrown) => (thrown instanceof TokenRefusal ? thrown.reason : thrown),
  )
  const sec = (performance.now() - startedAt) / 1000
  for (const end = Date.now() + 10_000; countOpen() > 0 && Date.now() < end; ) await sleep(20)
  // Five seconds, and what a busy machine adds; two limits in turn would be more.
  return { reason, isInTime: sec > 4.5 && sec < 8, open: countOpen() }
}

test.concurrent.each(Object.entries(answers))(
  'a request that needs the keys of an issuer, as %s, ends in time',
  async (_, answer) => {
    const { url, countOpen } = await startServer((socket) => answer(socket))
    const key = await createTestKey('ES256')
    const context = {
      trusts: [createTrust([], { keys: { url: `${url}/keys` } })],
      keys: createIssuerKeys({ fetch, now: Date.now }),
      now,
      clockSkewSec: 30,
    }
    const outcome = await measure(verifyJwt(await signClaims(key), context), countOpen)
    expect(outcome).toEqual({ reason: 'keys-unavailable', isInTime: true, open: 0 })
  },
)

test.concurrent('a discovery document that is late and keys that drip have one limit together', async () => {
  const { url, countOpen } = await startServer((socket, request) => {
    if (!request.includes('openid-configuration')) return answers['a body that drips']!(socket)
    const body = JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` })
    setTimeout(() => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`), 3_500)
  })
  const key = await createTestKey('ES256')
  const context = {
    trusts: [createTrust([], { issuer: url, keys: 'discovered' })],
    keys: createIssuerKeys({ fetch, now: Date.now }),
    now,
    clockSkewSec: 30,
  }
  const outcome = await measure(verifyJwt(await signClaims(key, { iss: url }), context), countOpen)
  expect(outcome).toEqual({ reason: 'keys-unavailable', isInTime: true, open: 0 })
})

test.concurrent.each(Object.entries(answers))(
  'a request that needs AWS STS, with %s, ends in time',
  async (_, answer) => {
    const { url, countOpen } = await startServer((socket) => answer(socket))
    const here: Fetch = (address, init) => fetch(`${url}${new URL(address).search}`, init)
    const at = Date.now()
    const token = encodeUrl(await signUrl({ credentials, audience, at }))
    const work = verifyCallerIdentity(token, { trust, now: at, clockSkewSec: 30, fetch: here })
    expect(await measure(work, countOpen)).toEqual({ reason: 'aws-unavailable', isInTime: true, open: 0 })
  },
)
