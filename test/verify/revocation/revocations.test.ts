import { describe, expect, test } from 'vitest'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import type { Policy } from '../../../src/verify/policy/policy.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { parseRevocation, type Revocation, renderRevocation } from '../../../src/verify/revocation/revocation.ts'
import { maxRevocations, RevocationList } from '../../../src/verify/revocation/revocation-list.ts'
import { createRevocations, type RevocationSource } from '../../../src/verify/revocation/revocations.ts'
import { createVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import { createTestKey, createTrust, goodClaims, now, signClaims } from '../jwt/issuer.ts'
import { createIdentity, createMadeUpVerifier, start, toWhole } from '../verifier/made-up-checks.ts'

const key = await createTestKey('ES256')
const issued = goodClaims.iat * 1000

/** Creates a source in memory, which a test can make fail. */
function createSource() {
  const world = { now, problem: undefined as string | undefined }
  const list = new RevocationList(() => world.now)
  const source: RevocationSource = {
    name: 'memory',
    list,
    problem: () => world.problem,
    add: async () => {},
    close: () => {},
  }
  return { world, list, source }
}

function createRevokingVerifier(whileUnknown: 'refuse' | 'pass' = 'refuse') {
  const { world, list, source } = createSource()
  const trust = createTrust([key])
  const rules = [{ name: 'all', identities: { issuer: trust.issuer }, conditions: [], headers: [], use: 'many times' }]
  const policy = { jwt: [trust], aws: undefined, rules, clockSkewSec: 30 } as Policy
  const clock = { now: () => world.now }
  const verifier = createVerifier({
    policy: () => policy,
    keys: createIssuerKeys({ fetch: async () => new Response(), ...clock }),
    fetch: async () => new Response(),
    replay: createMemoryReplayStore(clock),
    revocations: createRevocations([source], whileUnknown),
    ...clock,
  })
  return { verifier, world, list }
}

/** Creates the owner of a token of {@link signClaims} with further claims. */
function createOwner(claims: Readonly<Record<string, unknown>> = {}) {
  const all = { ...goodClaims, ...claims }
  return {
    kind: 'jwt',
    issuer: all.iss,
    subject: all.sub,
    claims: all,
    issuedAt: issued,
    expiresAt: (goodClaims.exp + 30) * 1000,
  }
}

function passing(identity = createOwner()) {
  return { outcome: 'accepted', identity, rule: 'all', headers: {} }
}

/** @param identity `unknown` where the key of the token is refused, so that nobody can tell whose it is. */
function refused(note: string, identity: object | 'unknown' = createOwner(), reason = 'revoked') {
  return { outcome: 'refused', refusal: { reason, note }, ...(identity !== 'unknown' && { identity }) }
}

const always = { issuer: undefined, before: Infinity, until: Infinity }

describe('a token that was accepted and is remembered', () => {
  test.each<[string, Partial<Revocation>, note: string | undefined]>([
    ['its subject', { kind: 'subject', value: 'dana' }, 'its subject is revoked'],
    ['its subject at its issuer', { kind: 'subject', value: 'dana', issuer: goodClaims.iss }, 'its subject is revoked'],
    ['its subject at another issuer', { kind: 'subject', value: 'dana', issuer: 'https://other.example' }, undefined],
    ['another subject', { kind: 'subject', value: 'Dana' }, undefined],
    ['its address', { kind: 'email', value: 'dana@corp.example' }, 'its email is revoked'],
    ['its session', { kind: 'session', value: 's1' }, 'its session is revoked'],
    ['its id', { kind: 'token', value: 't1' }, 'its token is revoked'],
    ['the id as a subject', { kind: 'subject', value: 't1' }, undefined],
    ['its key by kid', { kind: 'key', value: 'key-ES256' }, 'the key that signed it is revoked'],
    ['the key of another issuer', { kind: 'key', value: 'key-ES256', issuer: 'https://other.example' }, undefined],
    [
      'tokens until the moment of its issue',
      { kind: 'subject', value: 'dana', before: issued },
      'its subject is revoked',
    ],
    ['tokens until a moment before its issue', { kind: 'subject', value: 'dana', before: issued - 1 }, undefined],
    ['what passes again since now', { kind: 'subject', value: 'dana', until: now }, undefined],
  ])('is refused, or not, after the revocation of %s', async (_, revocation, note) => {
    const { verifier, list } = createRevokingVerifier()
    const claims = { jti: 't1', sid: 's1', email: 'dana@corp.example' }
    const token = await signClaims(key, claims)
    const first = await verifier.verify(token)
    list.add({ ...always, ...revocation } as Revocation)
    const verdicts = [first, verifier.find(token) ?? (await verifier.verify(token)), await verifier.verify(token)]
    const owner = createOwner(claims)
    const after = note === undefined ? passing(owner) : refused(note, revocation.kind === 'key' ? 'unknown' : owner)
    expect(verdicts.map(toWhole)).toEqual([passing(owner), after, after])
  })

  test('is refused after the revocation of its key by the thumbprint of RFC 7638', async () => {
    const { verifier, list } = createRevokingVerifier()
    const token = await signClaims(key)
    await verifier.verify(token)
    const { calculateJwkThumbprint } = await import('jose')
    list.add({ ...always, kind: 'key', value: await calculateJwkThumbprint(key.jwk) })
    expect([verifier.find(token), toWhole(await verifier.verify(token))]).toEqual([
      undefined,
      refused('the key that signed it is revoked', 'unknown'),
    ])
  })

  test('passes again when the entry ends or is lifted', async () => {
    const { verifier, list, world } = createRevokingVerifier()
    const token = await signClaims(key)
    list.add({ ...always, kind: 'subject', value: 'dana', until: now + 1_000 })
    const verdicts = [await verifier.verify(token)]
    world.now += 1_000
    verdicts.push(await verifier.verify(token))
    list.add({ ...always, kind: 'subject', value: 'dana' })
    verdicts.push(await verifier.verify(token))
    list.add({ ...always, kind: 'subject', value: 'dana', until: world.now })
    verdicts.push(await verifier.verify(token))
    const revoked = refused('its subject is revoked')
    expect(verdicts.map(toWhole)).toEqual([revoked, passing(), revoked, passing()])
  })

  test('that does not say when it was issued counts as issued before', async () => {
    const { verifier, list } = createRevokingVerifier()
    list.add({ ...always, kind: 'subject', value: 'dana', before: 1 })
    const owner = { ...createOwner({ iat: undefined }), issuedAt: undefined }
    expect(toWhole(await verifier.verify(await signClaims(key, { iat: undefined })))).toEqual(
      refused('its subject is revoked', owner),
    )
  })
})

test('a single-use token that is revoked is not used up', async () => {
  const { list, source } = createSource()
  const { verifier } = createMadeUpVerifier({ revocations: createRevocations([source], 'refuse') })
  list.add({ ...always, kind: 'subject', value: 'a--c', until: start + 1 })
  list.add({ ...always, kind: 'subject', value: 'a--c' })
  const verdicts = [await verifier.verify('a.once.c')]
  list.add({ ...always, kind: 'subject', value: 'a--c', until: 0 })
  verdicts.push(await verifier.verify('a.once.c'), await verifier.verify('a.once.c'))
  const identity = createIdentity('jwt', 'a--c')
  expect(verdicts.map(toWhole)).toEqual([
    refused('its subject is revoked', identity),
    { outcome: 'accepted', identity, rule: 'staff', headers: { 'x-user': 'a--c', 'x-team': '' } },
    { outcome: 'refused', identity, refusal: { reason: 'replayed' } },
  ])
})

test('a setting decides while the entries are unknown, and known entries count in any case', async () => {
  const outcomes = []
  for (const whileUnknown of ['refuse', 'pass'] as const) {
    const { verifier, world, list } = createRevokingVerifier(whileUnknown)
    const token = await signClaims(key)
    const ask = async () => toWhole(verifier.find(token) ?? (await verifier.verify(token)))
    const verdicts = [await ask()]
    world.problem = 'Redis is away'
    verdicts.push(await ask())
    list.add({ ...always, kind: 'subject', value: 'dana' })
    verdicts.push(await ask())
    outcomes.push(verdicts)
  }
  expect(outcomes).toEqual([
    [passing(), refused('Redis is away', createOwner(), 'revocations-unavailable'), refused('its subject is revoked')],
    [passing(), passing(), refused('its subject is revoked')],
  ])
})

test('a full list takes no more, but replaces what it has', () => {
  const { list, world } = createSource()
  const add = (value: string, until = Infinity) => list.add({ ...always, kind: 'subject', value, until })
  for (let others = 0; others < maxRevocations - 2; others += 1) add(`another ${others}`)
  const results = [add('a'), add('b', now + 5), add('c'), add('a')]
  world.now += 5
  expect([...results, add('c'), list.size]).toEqual(['added', 'added', 'full', 'added', 'added', maxRevocations])
})

describe('one entry as a line', () => {
  test.each<[string, Partial<Revocation>]>([
    ['{"subject":"dana"}', { kind: 'subject', value: 'dana' }],
    ['{"key":"k1","issuer":"https://id.example"}', { kind: 'key', value: 'k1', issuer: 'https://id.example' }],
    [
      '{"session":"s","before":"2026-03-01T12:00:00.000Z","until":"2026-03-02T12:00:00.000Z"}',
      { kind: 'session', value: 's', before: now, until: now + 86_400_000 },
    ],
  ])('reads and writes %s', (line, entry) => {
    const expected = { ...always, ...entry } as Revocation
    expect([parseRevocation(line), renderRevocation(expected)]).toEqual([expected, line])
  })

  test.each([
    ['', 'it is not a JSON object'],
    ['"dana"', 'Invalid input: expected object, received string'],
    ['{}', 'expected exactly one of subject, email, session, token, key'],
    ['{"subject":"a","token":"b"}', 'expected exactly one of subject, email, session, token, key'],
    ['{"subject":""}', 'subject: Too small: expected string to have >=1 characters'],
    ['{"subject":"a","befor":"x"}', 'Unrecognized key: "befor"'],
    ['{"subject":"a","before":"today"}', 'before: expected a time such as 2026-11-28T09:00:00Z'],
  ])('%s cannot be used', (line, problem) => {
    expect(parseRevocation(line)).toEqual({ problem })
  })
})
