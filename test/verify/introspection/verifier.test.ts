import { expect, test } from 'vitest'
import type { RefusalReason } from '../../../src/contract/refusal-reasons.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import type { Policy, PolicyRule } from '../../../src/verify/policy/policy.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'
import { createVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import type { Observation, VerifierParts } from '../../../src/verify/verifier/verifier.ts'
import { createTestKey, createTrust, goodClaims, now, signClaims } from '../jwt/issuer.ts'
import { toWhole } from '../verifier/made-up-checks.ts'

const refuseFetch = () => {
  throw new Error('nothing is fetched')
}

/** Creates a verifier whose provider says what `world` has, and what it was asked. */
async function createStage(rules: readonly Partial<PolicyRule>[], given: Partial<VerifierParts> = {}) {
  const key = await createTestKey('ES256')
  const introspection = {
    url: 'https://id.example/introspect',
    clientId: 'gateway',
    proof: { kind: 'secret', file: 'x' },
  } as const
  const kept = { cacheSec: 30, whileUnavailable: 'refuse', answers: 'plain', opaqueTokens: 'refused' } as const
  const settings = { ...introspection, ...kept }
  const policy: Policy = {
    jwt: [createTrust([key], { introspection: settings })],
    aws: undefined,
    rules: rules.map((rule, index) => ({
      name: `rule ${index}`,
      identities: { issuer: goodClaims.iss },
      conditions: [],
      headers: [],
      use: 'many times',
      ...rule,
    })),
    clockSkewSec: 0,
  }
  const asked: string[] = []
  const observed: Observation[] = []
  const world = { known: false, refusal: undefined as TokenRefusal | undefined }
  const parts = { policy: () => policy, now: () => now, replay: createMemoryReplayStore({ now: () => now }) }
  const verifier = createVerifier({
    ...parts,
    keys: createIssuerKeys({ fetch: refuseFetch, now: () => now }),
    fetch: refuseFetch,
    observe: (observation) => observed.push(observation),
    introspection: {
      isKnownActive: () => world.known,
      identify: async () => {
        throw new TokenRefusal('unknown-kind')
      },
      async requireActive(token, { trust, clockSkewSec, identity: { subject } }) {
        asked.push(`${token === (await good) ? 'the token' : 'another'} ${trust.issuer} ${clockSkewSec} ${subject}`)
        if (world.refusal) throw world.refusal
      },
    },
    ...given,
  })
  const good = signClaims(key)
  return { verifier, world, asked, observed, token: await good }
}

/** Returns the verdict on the good token by the rule of this index. */
const passing = (rule = 0) => ({ outcome: 'accepted', identity: dana, rule: `rule ${rule}`, headers: {} })

const refused = (reason: RefusalReason, facts: { readonly detail?: string; readonly note?: string } = {}) => ({
  outcome: 'refused',
  identity: dana,
  refusal: { reason, ...facts },
})

const dana = {
  kind: 'jwt',
  issuer: goodClaims.iss,
  subject: goodClaims.sub,
  claims: goodClaims,
  issuedAt: goodClaims.iat * 1000,
  expiresAt: goodClaims.exp * 1000,
}

test('a good token passes if its provider says so', async () => {
  const { verifier, world, asked, observed, token } = await createStage([{}])
  const verdicts = [await verifier.verify(token), verifier.find(token), await verifier.verify(token)]
  world.known = true
  verdicts.push(verifier.find(token), await verifier.verify(token))
  expect({ verdicts: verdicts.map(toWhole), asked, sources: observed.map(({ source }) => source) }).toEqual({
    verdicts: [passing(), undefined, passing(), passing(), passing()],
    asked: Array(2).fill('the token https://id.example 0 dana'),
    sources: ['verification', 'verification', 'cache', 'cache'],
  })
})

test.each(['inactive', 'introspection-unavailable', 'overloaded'] as const)(
  'a token that is remembered is refused as %s, with its owner',
  async (reason) => {
    const { verifier, world, token } = await createStage([{}])
    const before = await verifier.verify(token)
    world.refusal = new TokenRefusal(reason)
    expect([before, await verifier.verify(token)].map(toWhole)).toEqual([passing(), refused(reason)])
  },
)

test('no question is asked where a rule says so, nor about a token that is refused already', async () => {
  const chat = { request: { path: ['/chat'] } } as Pick<PolicyRule, 'request'>
  const { verifier, asked, token } = await createStage([
    chat,
    { introspection: 'skipped', request: { method: ['GET'] } },
  ])
  const facts = { host: undefined, method: undefined, path: undefined, model: undefined }
  const verdicts = [
    await verifier.verify(token, () => ({ ...facts, method: 'GET', path: '/other' })),
    await verifier.verify(token, () => ({ ...facts, method: 'POST', path: '/other' })),
    await verifier.verify(`${token}x`),
  ]
  const before = asked.length
  verdicts.push(await verifier.verify(token, () => ({ ...facts, method: 'GET', path: '/chat' })))
  const lacks = ["the request's path (no accepted value)", "the request's method (no accepted value)"]
  const detail = `no rule accepts its claims: ${lacks.join(', ')}`
  const note = `no rule holds: ${lacks.map((lack, rule) => `rule ${rule}: ${lack}`).join(', ')}`
  const form = 'it is not written in the one form that base64url without padding has'
  expect({ verdicts: verdicts.map(toWhole), before, after: asked.length }).toEqual({
    verdicts: [
      passing(1),
      refused('no-rule', { detail, note }),
      { ...refused('malformed', { note: form }), identity: undefined },
      passing(),
    ],
    before: 0,
    after: 1,
  })
})

test('a token that is not active is not counted and not used up', async () => {
  const taken: string[] = []
  const requestLimits = {
    take: () => undefined,
    takeShared: async ({ key }: { key: string }) => void taken.push(key),
  }
  const limit = { requests: 5, everySec: 60, burst: 5 }
  const { verifier, world, token } = await createStage([{ use: 'once', limit }], { requestLimits })
  world.refusal = new TokenRefusal('inactive')
  const verdicts = [await verifier.verify(token)]
  const before = taken.length
  world.refusal = undefined
  verdicts.push(await verifier.verify(token), await verifier.verify(token))
  expect({ verdicts: verdicts.map(toWhole), before, after: taken.length }).toEqual({
    verdicts: [refused('inactive'), passing(), refused('replayed')],
    before: 0,
    after: 2,
  })
})

test('a verifier that cannot ask a provider refuses its tokens', async () => {
  const { verifier, token } = await createStage([{}], { introspection: undefined as never })
  const verdict = await verifier.verify(token)
  expect([toWhole(verdict), verifier.find(token)]).toEqual([
    refused('introspection-unavailable', { note: 'this verifier has no introspection' }),
    undefined,
  ])
})
