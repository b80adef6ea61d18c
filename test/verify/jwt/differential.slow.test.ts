import fc from 'fast-check'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { createMemoryReplayStore } from '../../../src/verify/replay/memory-replay-store.ts'
import { createVerifier } from '../../../src/verify/verifier/create-verifier.ts'
import { type OracleRule, predictRule } from '../policy/policy-oracle.ts'
import { createTestKey, createTrust, goodClaims, now, nowSec, signClaims, type TestKey } from './issuer.ts'

const algorithms = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const
const own = await Promise.all(algorithms.map((algorithm) => createTestKey(algorithm)))
const stranger = await createTestKey('ES256', 'stranger')
const trust = createTrust(own, { algorithms, types: ['JWT', 'at+jwt'] })
const published = (trust.keys as { inline: JSONWebKeySet }).inline // as it is made
const rules: readonly OracleRule[] = [
  { name: 'people', claims: { groups: ['ai-*', 'staff'] }, headers: { 'x-user': '{sub}', 'x-team': 'team {team}' } },
  { name: 'machines', claims: { sub: ['ci-*-bot', '*@robots'], level: ['7', 'true'] }, headers: { 'x-user': '{sub}' } },
  { name: 'others', claims: { mail: ['*@example.com'] }, headers: { 'x-user': '{mail}', 'x-groups': '{groups}' } },
]

/** The whole verifier, by a policy file. */
const verifier = createWholeVerifier()

function createWholeVerifier() {
  const { issuer, audiences, types } = trust
  const issuers = [{ issuer, audiences, types, algorithms, keys: { inline: published } }]
  const file = { issuers, rules: rules.map((rule) => ({ ...rule, issuer })), clockSkewSec: 30 }
  const { policy, findings } = parsePolicy(Buffer.from(JSON.stringify(file)))
  if (!policy) throw new Error(JSON.stringify(findings))
  const fetch = (url: string | URL): never => {
    throw new Error(`${url} was asked for`)
  }
  const keys = createIssuerKeys({ fetch, now: () => now })
  return createVerifier({
    policy: () => policy,
    keys,
    fetch,
    now: () => now,
    replay: createMemoryReplayStore({ now: () => now }),
  })
}

/** Returns the claims of a token that jose’s own `jwtVerify` takes. */
async function verifyByJose(token: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const options = {
    algorithms: [...algorithms],
    issuer: trust.issuer,
    audience: [...trust.audiences],
    clockTolerance: 30,
    currentDate: new Date(now),
    requiredClaims: ['exp', 'sub'],
  }
  try {
    return (await jwtVerify(token, keys, options)).payload
  } catch {
    return undefined
  }
}

const keys = createLocalJWKSet(published)

const times = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -120, max: 600 }).map((from) => nowSec + from) },
  // The ends of the tolerance, which so few tokens would not meet by chance.
  fc.constantFrom(-31, -30, -29, 29, 30, 31).map((from) => nowSec + from),
  fc.constantFrom<unknown>(undefined, 0, -1, null, 'soon', `${nowSec + 60}`, now, 1e300, nowSec + 0.5, [nowSec]),
)
const good = <T>(value: T, others: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant<unknown>(value) }, { weight: 1, arbitrary: others })

const claims = fc.record(
  {
    iss: good(goodClaims.iss, fc.constantFrom<unknown>('https://id.example/', undefined, 1, [goodClaims.iss])),
    aud: good(
      goodClaims.aud,
      fc.constantFrom<unknown>(undefined, [], {}, 'x', 1, ['x', goodClaims.aud], [1, goodClaims.aud]),
    ),
    sub: good('dana', fc.constantFrom<unknown>(undefined, '', 1, null, 'ci-7-bot', 'ci-bot', 'r@robots', '\ud800')),
    exp: good(nowSec + 300, times),
    nbf: good(undefined, times),
    iat: good(nowSec - 60, times),
    cnf: good(undefined, fc.constant({ jkt: 'x' })),
    groups: fc.constantFrom<unknown>(
      'staff',
      'ai-dev',
      ['x', 'ai-'],
      ['a,b', 'staff'],
      [],
      {},
      'Staff',
      'x\nai-dev',
      'ai',
      7,
    ),
    team: fc.constantFrom<unknown>(
      'core',
      'Kern ü',
      ' a b ',
      '100%',
      '',
      1,
      2 ** 53,
      null,
      ['a', 'b'],
      'x'.repeat(3100),
    ),
    level: fc.constantFrom<unknown>(7, '7', true, 7.5, 'true', [7, {}], null),
    mail: fc.constantFrom<unknown>('dana@example.com', '@example.com', 'dana@example.com.evil', 'a@b', [
      'u@example.com',
    ]),
  },
  { requiredKeys: [] },
)
const headers = fc.record(
  {
    typ: good('JWT', fc.constantFrom<unknown>('at+jwt', 'AT+JWT', 'x', undefined)),
    kid: good(undefined, fc.constantFrom<unknown>('key-ES256', 'other')),
  },
  { requiredKeys: [] },
)
const signers = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...own) }, fc.constant(stranger))

/** Three tokens that somebody could make of one. */
const edits = fc.array(
  fc.oneof(
    fc.nat().map((at) => (token: string) => {
      const place = at % token.length
      return `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`
    }),
    fc.nat().map((at) => (token: string) => token.slice(0, at % token.length)),
    fc.constantFrom('=', '.', 'A', ' ').map((end) => (token: string) => token + end),
    // Another algorithm or key id than the one that signed.
    fc
      .record({
        alg: fc.constantFrom('none', 'HS256', 'ES256', 'RS256', 'PS256'),
        kid: fc.constantFrom('key-RS256', 7, ''),
      })
      .map((header) => (token: string) => token.replace(/^[^.]*/, encodeHeader(header))),
    fc.constant((token: string) => token.replace(/[^.]*$/, '')),
  ),
  { minLength: 3, maxLength: 3 },
)

function encodeHeader(header: object): string {
  return Buffer.from(JSON.stringify({ typ: 'JWT', ...header })).toString('base64url')
}

/** Where we are stricter than `jwtVerify` is, on purpose; docs/gateways/tokens.md says why. */
function isOurs(said: Readonly<Record<string, unknown>>, typ: unknown): boolean {
  const isTime = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 253_402_300_799
  const isLate = typeof said.iat === 'number' && said.iat > nowSec + 30
  const types = ['jwt', 'at+jwt']
  return (
    [said.exp, said.nbf, said.iat].some((value) => value !== undefined && !isTime(value)) ||
    isLate ||
    typeof said.sub !== 'string' ||
    said.sub === '' ||
    (Array.isArray(said.aud) && said.aud.some((item) => typeof item !== 'string')) ||
    said.cnf !== undefined ||
    !types.includes(String(typ).toLowerCase())
  )
}

/** Padding, blanks and unused bits, which jose forgives. */
function isRespelled(token: string): boolean {
  return token.split('.').some((part) => Buffer.from(part, 'base64url').toString('base64url') !== part)
}

/** Returns the expected answer: jose decides about the token, and the oracle about its claims. */
async function predict(token: string, isStricter: boolean) {
  const payload = await verifyByJose(token)
  if (!payload) return { outcome: 'refused' }
  if (isStricter || isRespelled(token)) return { outcome: 'refused', ours: true }
  const held = predictRule(rules, payload)
  return held ? { outcome: 'accepted', ...held } : { outcome: 'refused', reason: 'no-rule' }
}

test('jose and a second reading of the policy agree on 20,000 tokens, except where the verifier is stricter on purpose', async () => {
  const seen = { accepted: 0, 'no-rule': 0, refused: 0, ours: 0 }
  const compare = async (token: string, isStricter: boolean) => {
    const expected = await predict(token, isStricter)
    seen['ours' in expected ? 'ours' : 'reason' in expected ? 'no-rule' : (expected.outcome as 'accepted')] += 1
    const verdict = await verifier.verify(token)
    if (verdict.outcome === 'accepted') {
      const { outcome, rule, headers } = verdict
      expect({ outcome, rule, headers }).toEqual(expected)
    } else {
      const isByRule = verdict.refusal.reason === 'no-rule'
      expect({ outcome: 'refused', isByRule }).toEqual({ outcome: expected.outcome, isByRule: 'reason' in expected })
    }
  }
  const property = fc.asyncProperty(signers, claims, headers, edits, async (key: TestKey, said, header, changes) => {
    const named = 'kid' in header && header.kid !== undefined ? header : { ...header, kid: key.kid }
    const token = await signClaims(key, said, named)
    const isStricter = isOurs({ ...goodClaims, ...said }, 'typ' in header ? header.typ : 'JWT')
    for (const edit of [(same: string) => same, ...changes]) await compare(edit(token), isStricter)
  })
  await fc.assert(property, { numRuns: runs })
  // Each of them has to be common, or nothing was compared.
  expect(Object.values(seen).reduce((sum, count) => sum + count)).toBe(runs * 4)
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(runs / 100)
}, 240_000)

/** Each run verifies four tokens. */
const runs = 5_000
