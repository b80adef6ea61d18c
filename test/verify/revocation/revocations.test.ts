import { describe, expect, test } from 'vitest'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import type { Policy } from '../../../src/verify/policy/policy.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { parseRevocation, type Revocation, renderRevocation } from '../../../src/verify/revocation/revocation.ts'
import { RevocationList } from '../../../src/verify/revocation/revocation-list.ts'
import { createRevocations, type RevocationSource } from '../../../src/verify/revocation/revocations.ts'
import type { Verdict } from '../../../src/verify/verdict.ts'
import { createVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import { createTestKey, createTrust, goodClaims, now, signClaims } from '../jwt/issuer.ts'
import { createMadeUpVerifier, start } from '../verifier/made-up-checks.ts'

const key = await createTestKey('ES256')
const issued = goodClaims.iat * 1000

/** A source in memory, which a test can make fail. */
function createSource(limit?: number) {
  const world = { now, problem: undefined as string | undefined }
  const list = new RevocationList(() => world.now, limit)
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

/** The rule, or the reason and the note. */
function toWords(verdict: Verdict | undefined): string | undefined {
  return verdict?.outcome === 'refused' ? `${verdict.refusal.reason}: ${verdict.refusal.note}` : verdict?.rule
}

const always = { issuer: undefined, before: Infinity, until: Infinity }

describe('a token that was accepted and is remembered', () => {
  test.each<[string, Partial<Revocation>, string]>([
    ['its subject', { kind: 'subject', value: 'dana' }, 'revoked: its subject is revoked'],
    [
      'its subject at its issuer',
      { kind: 'subject', value: 'dana', issuer: goodClaims.iss },
      'revoked: its subject is revoked',
    ],
    ['its subject at another issuer', { kind: 'subject', value: 'dana', issuer: 'https://other.example' }, 'all'],
    ['another subject', { kind: 'subject', value: 'Dana' }, 'all'],
    ['its address', { kind: 'email', value: 'dana@corp.example' }, 'revoked: its email is revoked'],
    ['its session', { kind: 'session', value: 's1' }, 'revoked: its session is revoked'],
    ['its id', { kind: 'token', value: 't1' }, 'revoked: its token is revoked'],
    ['the id as a subject', { kind: 'subject', value: 't1' }, 'all'],
    ['its key by kid', { kind: 'key', value: 'key-ES256' }, 'revoked: the key that signed it is revoked'],
    ['the key of another issuer', { kind: 'key', value: 'key-ES256', issuer: 'https://other.example' }, 'all'],
    [
      'tokens until the moment of its issue',
      { kind: 'subject', value: 'dana', before: issued },
      'revoked: its subject is revoked',
    ],
    ['tokens until a moment before its issue', { kind: 'subject', value: 'dana', before: issued - 1 }, 'all'],
    ['what passes again since now', { kind: 'subject', value: 'dana', until: now }, 'all'],
  ])('%s', async (_, revocation, words) => {
    const { verifier, list } = createRevokingVerifier()
    const token = await signClaims(key, { jti: 't1', sid: 's1', email: 'dana@corp.example' })
    const first = toWords(await verifier.verify(token))
    list.add({ ...always, ...revocation } as Revocation)
    const found = toWords(verifier.find(token))
    expect([first, found ?? toWords(await verifier.verify(token)), toWords(await verifier.verify(token))]).toEqual([
      'all',
      words,
      words,
    ])
  })

  test('its key by the thumbprint of RFC 7638', async () => {
    const { verifier, list } = createRevokingVerifier()
    const token = await signClaims(key)
    await verifier.verify(token)
    const { calculateJwkThumbprint } = await import('jose')
    list.add({ ...always, kind: 'key', value: await calculateJwkThumbprint(key.jwk) })
    expect([verifier.find(token), toWords(await verifier.verify(token))]).toEqual([
      undefined,
      'revoked: the key that signed it is revoked',
    ])
  })

  test('passes again when the entry ends or is lifted', async () => {
    const { verifier, list, world } = createRevokingVerifier()
    const token = await signClaims(key)
    list.add({ ...always, kind: 'subject', value: 'dana', until: now + 1_000 })
    const during = toWords(await verifier.verify(token))
    world.now += 1_000
    const after = toWords(await verifier.verify(token))
    list.add({ ...always, kind: 'subject', value: 'dana' })
    const again = toWords(await verifier.verify(token))
    list.add({ ...always, kind: 'subject', value: 'dana', until: world.now })
    expect([during, after, again, toWords(await verifier.verify(token))]).toEqual([
      ...['revoked: its subject is revoked', 'all', 'revoked: its subject is revoked', 'all'],
    ])
  })

  test('that does not say when it was issued counts as issued before', async () => {
    const { verifier, list } = createRevokingVerifier()
    list.add({ ...always, kind: 'subject', value: 'dana', before: 1 })
    expect(toWords(await verifier.verify(await signClaims(key, { iat: undefined })))).toBe(
      'revoked: its subject is revoked',
    )
  })
})

test('a single-use token that is revoked is not used up', async () => {
  const { list, source } = createSource()
  const { verifier } = createMadeUpVerifier({ revocations: createRevocations([source], 'refuse') })
  list.add({ ...always, kind: 'subject', value: 'a--c', until: start + 1 })
  list.add({ ...always, kind: 'subject', value: 'a--c' })
  const refused = toWords(await verifier.verify('a.once.c'))
  list.add({ ...always, kind: 'subject', value: 'a--c', until: 0 })
  const words = [toWords(await verifier.verify('a.once.c')), toWords(await verifier.verify('a.once.c'))]
  expect([refused, ...words]).toEqual(['revoked: its subject is revoked', 'staff', 'replayed: undefined'])
})

test('while it is not known what is refused, a setting decides, and known entries count in any case', async () => {
  const outcomes = []
  for (const whileUnknown of ['refuse', 'pass'] as const) {
    const { verifier, world, list } = createRevokingVerifier(whileUnknown)
    const token = await signClaims(key)
    const word = async () => toWords(verifier.find(token) ?? (await verifier.verify(token)))
    const words = [await word()]
    world.problem = 'Redis is away'
    words.push(await word())
    list.add({ ...always, kind: 'subject', value: 'dana' })
    words.push(await word())
    outcomes.push(words)
  }
  expect(outcomes).toEqual([
    ['all', 'revocations-unavailable: Redis is away', 'revoked: its subject is revoked'],
    ['all', 'all', 'revoked: its subject is revoked'],
  ])
})

test('a full list takes no more, but replaces what it has, and drops what has ended', () => {
  const { list, world } = createSource(2)
  const add = (value: string, until = Infinity) => list.add({ ...always, kind: 'subject', value, until })
  const results = [add('a'), add('b', now + 5), add('c'), add('a')]
  world.now += 5
  expect([...results, add('c'), list.size]).toEqual(['added', 'added', 'full', 'added', 'added', 2])
})

describe('one entry as a line', () => {
  test.each<[string, Partial<Revocation>]>([
    ['{"subject":"dana"}', { kind: 'subject', value: 'dana' }],
    ['{"key":"k1","issuer":"https://id.example"}', { kind: 'key', value: 'k1', issuer: 'https://id.example' }],
    [
      '{"session":"s","before":"2026-03-01T12:00:00.000Z","until":"2026-03-02T12:00:00.000Z"}',
      { kind: 'session', value: 's', before: now, until: now + 86_400_000 },
    ],
  ])('%s', (line, entry) => {
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
