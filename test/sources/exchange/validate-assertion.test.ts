import { describe, expect, test } from 'vitest'
import { validateAssertion } from '../../../src/sources/exchange/validate-assertion.ts'
import { audience, type Claims, forge } from '../../stand-ins/identity/identity-provider.ts'

const now = Date.UTC(2026, 0, 15, 12)
const at = (seconds: number) => now / 1000 + seconds

const source = {
  token: 'the identity token in /run/token',
  audience,
  renewalHint: 'renew it',
  audienceHint: 'ask for the audience',
}

/** How far ahead the issuer of a valid token is, in seconds; else what is wrong and what to do. */
function validate(text: string, required: string | undefined = audience) {
  const result = validateAssertion(text, { ...source, audience: required }, now)
  if (result.ok) return result.issuerAheadMs / 1000
  const { kind, message, hint } = result.failure
  return { kind, problem: message.replace(`${source.token} `, ''), hint }
}

const token = (claims: Claims = {}, header?: Claims, signature?: string) =>
  forge({ iat: at(-5), nbf: at(-5), exp: at(300), ...claims }, header, signature)

const bad = (problem: string, hint: string) => ({ kind: 'not-configured', problem, hint })

describe('a valid token', () => {
  test.each<[what: string, claims: Claims]>([
    ['with the usual claims', {}],
    ['for several audiences', { aud: ['other', audience] }],
    ['without iat and nbf', { iat: undefined, nbf: undefined }],
    ['with ten seconds left', { exp: at(10) }],
    ['that becomes valid within the tolerated skew', { iat: undefined, nbf: at(120) }],
    ['with a text for nbf', { nbf: '9999999999' }],
    ['that is issued at this moment', { iat: at(0), nbf: at(0) }],
  ])('has no problem %s', (_, claims) => {
    expect(validate(token(claims))).toBe(0)
  })

  test('may have any audience where none is set', () => {
    expect(validateAssertion(token({ aud: undefined }), { ...source, audience: undefined }, now).ok).toBe(true)
  })

  test.each([30, 600, 86_400])('issued %d s in the future tells how far its issuer is ahead', (ahead) => {
    expect(validate(token({ iat: at(ahead), nbf: at(ahead), exp: at(ahead + 300) }))).toBe(ahead)
  })
})

describe('a text that is not a JWT', () => {
  test.each([
    ['', 'nothing'],
    ['token', 'a word'],
    ['a.b', 'two parts'],
    ['a.b.c', 'three parts without JSON'],
    [`${token()}.x`, 'four parts'],
    [`${token()}=`, 'padding'],
    [token().replace('.', ' .'), 'a space'],
    [['[]', '{}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.'), 'a list for a header'],
    [['{}', 'null', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.'), 'no claims'],
    ['<html>please sign in</html>', 'a page'],
  ])('%j is refused: %s', (text) => {
    expect(validate(text)).toEqual(bad('is not a JWT', 'renew it'))
  })
})

describe('a token that cannot be verified', () => {
  const unsigned = bad('is not signed, so nobody can verify it', 'have the identity provider sign its tokens')
  test.each(['none', 'None', 'NONE'])('names the algorithm %s', (alg) => {
    expect(validate(token({}, { alg }))).toEqual(unsigned)
  })

  test.each(['nonesuch', 'unnone'])('may name an algorithm like %s', (alg) => {
    expect(validate(token({}, { alg }))).toBe(0)
  })

  test('has no signature', () => {
    expect(validate(token({}, undefined, ''))).toEqual(unsigned)
  })
})

describe('missing claims', () => {
  const lacks = (what: string) => bad(`lacks ${what}, which the exchange needs`, 'have the identity provider add it')
  test.each<[Claims, string]>([
    [{ iss: undefined }, 'iss'],
    [{ sub: undefined }, 'sub'],
    [{ sub: 7 }, 'sub'],
    [{ exp: undefined }, 'exp'],
    [{ exp: 'tomorrow' }, 'exp'],
    [{ iss: '', sub: null, exp: undefined }, 'iss and sub and exp'],
  ])('%j is refused', (claims, missing) => {
    expect(validate(token(claims))).toEqual(lacks(missing))
  })
})

describe('another audience', () => {
  test.each<[aud: unknown, named: string]>([
    ['api://other', 'the audience "api://other"'],
    [['a', 'b'], 'the audience "a", "b"'],
    [undefined, 'no audience'],
    [7, 'no audience'],
    [`${audience}/`, `the audience "${audience}/"`],
    ['x'.repeat(201), `the audience "${'x'.repeat(200)}"`],
  ])('%j is named', (aud, named) => {
    expect(validate(token({ aud }))).toEqual(bad(`is for ${named}, not for "${audience}"`, 'ask for the audience'))
  })
})

describe('a token with times', () => {
  const clock = 'renew it; if that time is wrong, set the clock of this machine'
  test.each<[left: number, word: string, date: string]>([
    [-3600, 'expired', '11:00:00'],
    [0, 'expired', '12:00:00'],
    [9, 'expires', '12:00:09'],
  ])('that has %d s left is too old, and the message names both times', (left, word, date) => {
    expect(validate(token({ exp: at(left) }))).toEqual(
      bad(`${word} at 2026-01-15T${date}.000Z; this machine's time is 2026-01-15T12:00:00.000Z`, clock),
    )
  })

  test('that expires beyond the range of dates is valid, unlike one that expires before it', () => {
    expect(validate(token({ exp: 1e300 }))).toBe(0)
    expect(validate(token({ exp: -1e300 }))).toEqual(
      bad("expired at an unknown time; this machine's time is 2026-01-15T12:00:00.000Z", clock),
    )
  })

  test.each([-5, 30, 120])('that was issued %d s ahead is not valid yet, which does not show a slow clock', (ahead) => {
    expect(validate(token({ iat: at(ahead), nbf: at(121) }))).toEqual(
      bad(
        "is not valid before 2026-01-15T12:02:01.000Z; this machine's time is 2026-01-15T12:00:00.000Z",
        'wait until then, or renew it',
      ),
    )
  })
})

test.each([
  ['has expired', token({ exp: at(-1) })],
  ['is for another audience', token({ aud: 'x' })],
  ['names nobody', token({ sub: undefined })],
  ['is not signed', token({}, { alg: 'none' })],
])('the failure for a token that %s repeats no part of it', (_, text) => {
  const parts = text.split('.').filter((part) => part.length > 3)
  expect(parts.filter((part) => JSON.stringify(validate(text)).includes(part))).toEqual([])
})
