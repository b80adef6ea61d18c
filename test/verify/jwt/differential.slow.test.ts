import fc from 'fast-check'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { expect, test } from 'vitest'
import { createTestKey, createTrust, goodClaims, now, nowSec, signClaims, type TestKey } from './issuer.ts'
import { createVerdict } from './verdict.ts'

const [es256, ed25519, stranger] = await Promise.all([
  createTestKey('ES256'),
  createTestKey('EdDSA'),
  createTestKey('ES256', 'stranger'),
])
const algorithms = ['ES256', 'EdDSA']
const trust = createTrust([es256, ed25519], { algorithms, types: ['JWT', 'at+jwt'] })
const verdictOf = createVerdict([trust])
const keys = createLocalJWKSet((trust.keys as { inline: JSONWebKeySet }).inline)

async function joseAccepts(token: string): Promise<boolean> {
  const options = {
    algorithms,
    issuer: trust.issuer,
    audience: [...trust.audiences],
    clockTolerance: 30,
    currentDate: new Date(now),
    requiredClaims: ['exp', 'sub'],
  }
  try {
    await jwtVerify(token, keys, options)
    return true
  } catch {
    return false
  }
}

const times = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -120, max: 600 }).map((from) => nowSec + from) },
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
    sub: good('dana', fc.constantFrom<unknown>(undefined, '', 1, null)),
    exp: good(nowSec + 300, times),
    nbf: good(undefined, times),
    iat: good(nowSec - 60, times),
    cnf: good(undefined, fc.constant({ jkt: 'x' })),
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
const signers = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(es256, ed25519) }, fc.constant(stranger))
const edits = fc.oneof(
  { weight: 5, arbitrary: fc.constant((token: string) => token) },
  fc.nat().map((at) => (token: string) => {
    const place = at % token.length
    return `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`
  }),
  fc.nat().map((at) => (token: string) => token.slice(0, at % token.length)),
  fc.constantFrom('=', '.', 'A', ' ').map((end) => (token: string) => token + end),
)

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

test('jose’s own jwtVerify agrees on tokens of every kind, except where we are stricter on purpose', async () => {
  const seen = { accepted: 0, refused: 0, ours: 0 }
  const property = fc.asyncProperty(signers, claims, headers, edits, async (key: TestKey, said, header, edit) => {
    const named = 'kid' in header && header.kid !== undefined ? header : { ...header, kid: key.kid }
    const token = edit(await signClaims(key, said, named))
    const [verdict, accepted] = [await verdictOf(token), await joseAccepts(token)]
    const everything = { ...goodClaims, ...said }
    const stricter = isRespelled(token) || isOurs(everything, 'typ' in header ? header.typ : 'JWT')
    seen[verdict === 'accepted' ? 'accepted' : accepted ? 'ours' : 'refused'] += 1
    return verdict === 'accepted' ? accepted : !accepted || stricter
  })
  await fc.assert(property, { numRuns: 3000 })
  // Each of them has to be common, or nothing was compared.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(150)
})
