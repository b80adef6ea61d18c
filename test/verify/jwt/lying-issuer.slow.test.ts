import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import type { JwtContext } from '../../../src/verify/jwt/examine-jwt.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { verifyJwt } from '../../../src/verify/jwt/verify-jwt.ts'
import { refusalOf } from '../refusal-of.ts'
import { forgeGood } from './forge.ts'
import { createTestKey, createTrust, now, signClaims } from './issuer.ts'

const key = await createTestKey('ES256')
const set = JSON.stringify({ keys: [key.jwk] })

/** The answer of an issuer at an address of its name, and its time. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/good': (response) => response.end(set),
  '/silent': () => {},
  '/drop-by-drop': (response) => {
    const timer = setInterval(() => response.write(' '), 100)
    response.once('close', () => clearInterval(timer))
  },
  '/endless': (response) => {
    const more = () => {
      while (response.write(' '.repeat(65_536)));
      response.once('drain', more)
    }
    more()
  },
  '/redirect': (response) => response.writeHead(302, { location: '/good' }).end(),
  '/broken-off': (response) => {
    response.writeHead(200, { 'content-length': 10_000 }).write(set)
    setTimeout(() => response.destroy(), 100)
  },
}

const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  answers[request.url ?? '']?.(response)
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => server.closeAllConnections())

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
const fetch = createStreamFetch({ network, silenceSec: 5 })

function createSide(path: string) {
  const keys = createIssuerKeys({ fetch, now: Date.now })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const trust = createTrust([], { keys: { url } })
  return { keys, trust, context: { trusts: [trust], keys, now, clockSkewSec: 30 } }
}

test.each(['/silent', '/drop-by-drop', '/endless', '/redirect', '/broken-off'])(
  'with keys at %s a token stays undecided within the bound of time',
  { concurrent: true },
  async (path) => {
    const [bad, good] = [createSide(path), createSide('/good')]
    const start = performance.now()
    const token = await signClaims(key)
    const refused = refusalOf(() => verifyJwt(token, bad.context))
    const { subject } = await verifyJwt(token, good.context)
    const passedMs = performance.now() - start
    const refusal = await refused
    const refusedMs = performance.now() - start
    expect({ subject, refusal, isInTime: passedMs < 4_000 && refusedMs < 9_000 }).toEqual({
      subject: 'dana',
      refusal: { reason: 'keys-unavailable', detail: undefined, note: expect.stringMatching(notes[path]!) },
      isInTime: true,
    })
  },
)

const notes: Readonly<Record<string, RegExp>> = {
  '/silent': /was silent for 5 s|gave no answer within 5 s/,
  '/drop-by-drop': /gave no answer within 5 s|had not finished after 5 s/,
  '/endless': /with more than 512 KiB/,
  '/redirect': /answered HTTP 302/,
  '/broken-off': /cannot be reached/,
}

test('a hundred thousand tokens of unknown keys cost at most two requests, and no memory', async () => {
  const { context } = createSide('/good')
  await verifyJwt(await signClaims(key), context)
  const before = asked.filter((path) => path === '/good').length
  await sendStrangers(context, 20_000)
  const warm = measureHeap()
  await sendStrangers(context, 100_000)
  const grownMb = (measureHeap() - warm) / 2 ** 20
  expect(grownMb).toBeLessThan(4)
  // One more than in a burst, because ten seconds may pass meanwhile on a busy machine.
  expect(asked.filter((path) => path === '/good').length - before).toBeLessThan(4)
  expect((await verifyJwt(await signClaims(key), context)).subject).toBe('dana')
})

let serial = 0
async function sendStrangers(context: JwtContext, count: number): Promise<void> {
  for (let at = 0; at < count; at += 200) {
    const tokens = Array.from({ length: 200 }, () => {
      serial += 1
      return forgeGood({ alg: 'ES256', kid: `stranger-${serial}` }, () => Buffer.alloc(64, 1))
    })
    const reasons = await Promise.all(
      tokens.map(async (token) => (await refusalOf(() => verifyJwt(token, context))).reason),
    )
    expect(new Set(reasons)).toEqual(new Set(['unknown-key']))
  }
}

function measureHeap(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
