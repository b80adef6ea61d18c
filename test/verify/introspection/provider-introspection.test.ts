import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import {
  createProviderIntrospection,
  type ProviderQuestion,
  toProviderQuestion,
} from '../../../src/verify/introspection/provider-introspection.ts'
import { introspectionBounds } from '../../../src/verify/introspection/provider-lanes.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import type { IntrospectionSettings, JwtTrust } from '../../../src/verify/policy/policy.ts'
import { type Identity, TokenRefusal } from '../../../src/verify/verdict.ts'
import { createTrust } from '../jwt/issuer.ts'

const start = Date.UTC(2026, 2, 1, 12)

const refuseFetch = () => {
  throw new Error('nothing is fetched')
}

const settings: IntrospectionSettings = {
  url: 'https://id.example/introspect',
  clientId: 'gate way',
  proof: { kind: 'secret', file: 'id.secret' },
  answers: 'plain',
  opaqueTokens: 'refused',
  cacheSec: 30,
  whileUnavailable: 'refuse',
}

/** Creates an introspection whose provider, on the far side of `fetch`, answers as the test says. */
function createStage(given: { entries?: number; settings?: Partial<IntrospectionSettings> } = {}) {
  const requests: { url: string; method: unknown; headers: unknown; body: unknown; redirect: unknown }[] = []
  const reports: unknown[] = []
  const world = {
    now: start,
    answer: async (): Promise<Response> => Response.json({ active: true }),
  }
  const introspection = createProviderIntrospection({
    async fetch(url, { method, headers, body, redirect }) {
      requests.push({ url, method, headers, body, redirect })
      return world.answer()
    },
    readSecret: async (file) => new Secret(`secret of ${file}`),
    keys: createIssuerKeys({ fetch: refuseFetch, now: () => world.now }),
    now: () => world.now,
    entries: given.entries ?? 100,
    report: (issuer, failure) => reports.push([issuer, failure]),
  })
  const trust = createTrust([], { introspection: { ...settings, ...given.settings } })
  const ask = async (token = 'a.b.c') => {
    try {
      await introspection.requireActive(token, toQuestion(token, trust))
      return 'passes'
    } catch (thrown) {
      if (thrown instanceof TokenRefusal) return `${thrown.reason}: ${thrown.note}`
      throw thrown
    }
  }
  const isKnown = (token = 'a.b.c') => introspection.isKnownActive(toQuestion(token, trust))
  return { world, introspection, trust, requests, reports, ask, isKnown }
}

function toQuestion(token: string, trust: JwtTrust): ProviderQuestion {
  return toProviderQuestion(token, createIdentity(trust), { jwt: [trust], clockSkewSec: 0 }, {})!
}

function createIdentity({ issuer }: JwtTrust): Identity {
  return { kind: 'jwt', issuer, subject: 'dana', claims: {}, issuedAt: start, expiresAt: start + 600_000 }
}

const nothing = { active: 0, refused: 0, unavailable: 0, passed: 0, overloaded: 0 }

test('asks with the token in the body and the client in the header, once for each time in which an answer counts', async () => {
  const { world, requests, ask, isKnown } = createStage()
  const outcomes = [isKnown(), await ask(), isKnown(), await ask()]
  world.now += 29_999
  outcomes.push(isKnown(), await ask())
  const before = requests.length
  world.now += 1
  outcomes.push(isKnown(), await ask())
  expect({ outcomes, before, requests }).toEqual({
    outcomes: [false, 'passes', true, 'passes', true, 'passes', false, 'passes'],
    before: 1,
    requests: Array(2).fill({
      url: 'https://id.example/introspect',
      method: 'POST',
      headers: {
        accept: 'application/json',
        authorization: `Basic ${Buffer.from('gate+way:secret+of+id.secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'token=a.b.c&token_type_hint=access_token',
      redirect: 'manual',
    }),
  })
})

test('an answer counts no longer than the token that it is about, nor after the clock was set back', async () => {
  const { world, requests, ask, isKnown } = createStage()
  world.answer = async () => Response.json({ active: true, exp: start / 1000 + 5 })
  await ask()
  world.now += 4_999
  const before = isKnown()
  world.now += 1
  expect([before, isKnown(), await ask(), requests.length]).toEqual([
    true,
    false,
    'expired: the provider says that it expired at 2026-03-01T12:00:05Z',
    2,
  ])
  world.answer = async () => Response.json({ active: true })
  await ask('d.e.f')
  world.now -= 60_000
  expect(isKnown('d.e.f')).toBe(false)
})

test('asks for each request with cacheSec 0', async () => {
  const { requests, ask, isKnown } = createStage({ settings: { cacheSec: 0 } })
  expect([await ask(), isKnown(), await ask(), requests.length]).toEqual(['passes', false, 'passes', 2])
})

test('a refusal counts for a short time, and displaces no active token', async () => {
  const { world, introspection, requests, ask, isKnown } = createStage({ entries: 2 })
  await ask('active')
  world.answer = async () => Response.json({ active: false })
  const refused = 'inactive: the provider says that it is not active'
  const outcomes = [await ask('one'), await ask('one'), await ask('two'), await ask('three')]
  expect({ outcomes, count: requests.length, size: introspection.size(), isKnown: isKnown('active') }).toEqual({
    outcomes: Array(4).fill(refused),
    count: 4,
    size: 3, // the active one, and the last two
    isKnown: true,
  })
  world.answer = async () => Response.json({ active: true })
  world.now += introspectionBounds.refusedMs - 1
  const still = await ask('three')
  world.now += 1
  expect([still, await ask('three')]).toEqual([refused, 'passes'])
})

test('callers of one token share one question, and each gets its answer', async () => {
  const { world, requests, ask } = createStage()
  const { promise, resolve } = Promise.withResolvers<Response>()
  world.answer = () => promise
  const asked = Promise.all([ask('x'), ask('x'), ask('y')])
  await setImmediate()
  resolve(Response.json({ active: false }))
  world.answer = async () => Response.json({ active: false })
  const [first, second] = await asked
  expect([first, second, requests.length]).toEqual([
    'inactive: the provider says that it is not active',
    'inactive: the provider says that it is not active',
    2,
  ])
})

test('more questions at a time than a provider has to answer are refused at once, also where tokens pass without an answer', async () => {
  const { world, introspection, requests, ask, trust } = createStage({ settings: { whileUnavailable: 'pass' } })
  const { promise, resolve } = Promise.withResolvers<void>()
  world.answer = async () => {
    await promise
    return Response.json({ active: true })
  }
  const asked = Array.from({ length: introspectionBounds.concurrent + 2 }, (_, index) => ask(`token ${index}`))
  await setImmediate()
  const during = introspection.states()
  resolve()
  const outcomes = await Promise.all(asked)
  const overloaded = `overloaded: too many tokens are being asked about at ${trust.issuer}`
  expect({ during, outcomes: outcomes.slice(-3), count: requests.length, after: introspection.states() }).toEqual({
    during: [
      {
        issuer: trust.issuer,
        counts: { ...nothing, overloaded: 2 },
        inFlight: introspectionBounds.concurrent,
        failure: undefined,
      },
    ],
    outcomes: ['passes', overloaded, overloaded],
    count: introspectionBounds.concurrent,
    after: [
      {
        issuer: trust.issuer,
        counts: { ...nothing, overloaded: 2, active: introspectionBounds.concurrent },
        inFlight: 0,
        failure: undefined,
      },
    ],
  })
})

const unusable = 'with no JSON object at /introspect, or with one that names a member twice'
const bad: readonly [string, () => Promise<Response>, string][] = [
  [
    'no connection',
    async () => Promise.reject(new HelperError('unavailable', 'id.example is away', 'wait')),
    'id.example is away',
  ],
  [
    'HTTP 401',
    async () => new Response('{"active": true}', { status: 401 }),
    'id.example answered HTTP 401 at /introspect',
  ],
  [
    'a redirect',
    async () => new Response(null, { status: 307, headers: { location: 'https://x' } }),
    'id.example answered HTTP 307 at /introspect',
  ],
  ['a page', async () => new Response('<html>'), `id.example answered ${unusable}`],
  ['active twice', async () => new Response('{"active": false, "active": true}'), `id.example answered ${unusable}`],
  [
    'active as text',
    async () => Response.json({ active: 'true' }),
    'id.example answered without "active" at /introspect',
  ],
  [
    'an endless answer',
    async () => new Response(`{"active": true, "x": "${'x'.repeat(70_000)}"}`),
    'id.example answered HTTP 200 (text/plain;charset=UTF-8) with more than 64 KiB',
  ],
]

test.each(bad)('refuses the token, and other tokens for a moment, after %s', async (_, answer, says) => {
  const { world, introspection, trust, requests, reports, ask } = createStage()
  world.answer = answer
  const refused = `introspection-unavailable: ${says}`
  const outcomes = [await ask('one'), await ask('two')]
  const count = requests.length
  world.now += introspectionBounds.pauseMs
  outcomes.push(await ask('three'))
  const { failure } = introspection.states()[0]!
  world.answer = async () => Response.json({ active: true })
  world.now += introspectionBounds.pauseMs
  outcomes.push(await ask('one'))
  expect({ outcomes, count, failure, reports, states: introspection.states() }).toEqual({
    outcomes: [refused, refused, refused, 'passes'],
    count: 1,
    failure: says,
    reports: [
      [trust.issuer, says],
      [trust.issuer, undefined],
    ],
    states: [
      { issuer: trust.issuer, counts: { ...nothing, unavailable: 3, active: 1 }, inFlight: 0, failure: undefined },
    ],
  })
})

test('where the policy says so, tokens pass while the provider does not answer, and those that it has refused do not', async () => {
  const { world, introspection, trust, ask, isKnown } = createStage({ settings: { whileUnavailable: 'pass' } })
  world.answer = async () => Response.json({ active: false })
  await ask('refused')
  world.answer = async () => new Response(null, { status: 503 })
  expect({
    outcomes: [await ask('one'), await ask('two'), isKnown('one'), await ask('refused')],
    states: introspection.states(),
  }).toEqual({
    outcomes: ['passes', 'passes', false, 'inactive: the provider says that it is not active'],
    states: [
      {
        issuer: trust.issuer,
        counts: { ...nothing, refused: 1, passed: 2 },
        inFlight: 0,
        failure: 'id.example answered HTTP 503 at /introspect',
      },
    ],
  })
})

test('a token that the provider cannot read does not stop those of others', async () => {
  const { world, reports, ask } = createStage()
  world.answer = async () => new Response(null, { status: 500 })
  const first = await ask('odd')
  world.answer = async () => Response.json({ active: true })
  expect([first, await ask('usual'), reports]).toEqual([
    'introspection-unavailable: id.example answered HTTP 500 at /introspect',
    'passes',
    [],
  ])
})

test('one question at a time tries whether a failing provider answers again', async () => {
  const { world, requests, ask } = createStage()
  world.answer = async () => new Response(null, { status: 503 })
  await ask('one')
  world.now += introspectionBounds.pauseMs
  const { promise, resolve } = Promise.withResolvers<Response>()
  world.answer = () => promise
  const probe = ask('two')
  const other = await ask('three')
  resolve(Response.json({ active: true }))
  expect([await probe, other, requests.length]).toEqual([
    'passes',
    'introspection-unavailable: id.example answered HTTP 503 at /introspect',
    2,
  ])
})

test('an answer of another client, address or audience says nothing of this one', async () => {
  const { introspection, trust, ask } = createStage()
  await ask()
  const change = (changes: Partial<JwtTrust>) =>
    introspection.isKnownActive(toQuestion('a.b.c', { ...trust, ...changes }))
  expect([
    change({}),
    change({ introspection: { ...settings, clientId: 'other' } }),
    change({ introspection: { ...settings, url: 'https://id.example/other' } }),
    change({ audiences: ['other'] }),
    change({ issuer: 'https://other.example' }),
  ]).toEqual([true, false, false, false, false])
})
