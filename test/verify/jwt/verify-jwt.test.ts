import { describe, expect, test } from 'vitest'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { verifyJwt } from '../../../src/verify/jwt/verify-jwt.ts'
import type { JwtTrust } from '../../../src/verify/policy/policy.ts'
import { refusalOf } from '../refusal-of.ts'
import { forge, forgeGood } from './forge.ts'
import { createTestKey, createTrust, goodClaims, now, nowSec, signClaims } from './issuer.ts'

const key = await createTestKey('ES256')
const another = await createTestKey('ES256', 'another')

test('a good token gives its identity, which ends with it', async () => {
  const token = await signClaims(key, { groups: ['a', 'b'] })
  expect(await verify(token)).toEqual({
    kind: 'jwt',
    issuer: 'https://id.example',
    subject: 'dana',
    claims: { ...goodClaims, groups: ['a', 'b'] },
    issuedAt: now - 60_000,
    expiresAt: now + 540_000 + 30_000,
    useKey: token.split('.').slice(0, 2).join('.'),
  })
})

test('an identity ends earlier where the policy bounds the age of tokens', async () => {
  expect(await verify(await signClaims(key), { longestAgeSec: 300 })).toEqual({
    expiresAt: now - 60_000 + 300_000 + 30_000,
    kind: 'jwt',
    issuer: 'https://id.example',
    subject: 'dana',
    claims: {
      iss: 'https://id.example',
      sub: 'dana',
      aud: 'https://gateway.example',
      iat: expect.any(Number),
      exp: expect.any(Number),
    },
    issuedAt: expect.any(Number),
    useKey: expect.any(String),
  })
})

const sec = (from: number) => nowSec + from

const digest = 'A'.repeat(43)

describe('a token with a good signature', () => {
  const audience = 'it is for "https://other.example", not for "https://gateway.example"'
  test.each<[string, Record<string, unknown>, Partial<JwtTrust>, reason: string, detail: string]>([
    ['another audience', { aud: 'https://other.example' }, {}, 'audience', audience],
    ['no audience', { aud: undefined }, {}, 'audience', 'it names no audience (aud)'],
    ['an empty list', { aud: [] }, {}, 'audience', 'it names no audience (aud)'],
    [
      'an object as audience',
      { aud: { a: 1 } },
      {},
      'malformed',
      'its audience (aud) is neither a text nor a list of texts',
    ],
    [
      'another letter',
      { aud: 'https://gateway.example/' },
      {},
      'audience',
      'it is for "https://gateway.example/", not for "https://gateway.example"',
    ],
    [
      'no trusted audience',
      {},
      { audiences: [] },
      'audience',
      'it is for "https://gateway.example", and nothing says whether that is right',
    ],
    ['expired', { exp: sec(-30) }, {}, 'expired', 'it expired at 2026-03-01T11:59:30Z'],
    ['no end', { exp: undefined }, {}, 'malformed', 'it does not say when it expires (exp)'],
    [
      'its end as a text',
      { exp: '9999999999' },
      {},
      'malformed',
      'its exp is not a number of seconds since 1970 (RFC 7519, section 2)',
    ],
    [
      'its end in milliseconds',
      { exp: now },
      {},
      'malformed',
      'its exp is not a number of seconds since 1970 (RFC 7519, section 2)',
    ],
    [
      'its end in the year 10000',
      { exp: 253_402_300_800 },
      {},
      'malformed',
      'its exp is not a number of seconds since 1970 (RFC 7519, section 2)',
    ],
    [
      'its end in the past',
      { exp: -1 },
      {},
      'malformed',
      'its exp is not a number of seconds since 1970 (RFC 7519, section 2)',
    ],
    ['not yet', { nbf: sec(31) }, {}, 'not-yet-valid', 'it is valid from 2026-03-01T12:00:31Z on'],
    [
      'nbf as null',
      { nbf: null },
      {},
      'malformed',
      'its nbf is not a number of seconds since 1970 (RFC 7519, section 2)',
    ],
    ['issued later', { iat: sec(31) }, {}, 'not-yet-valid', 'it was issued in the future, at 2026-03-01T12:00:31Z'],
    [
      'iat as text',
      { iat: 'now' },
      {},
      'malformed',
      'its iat is not a number of seconds since 1970 (RFC 7519, section 2)',
    ],
    ['no subject', { sub: undefined }, {}, 'malformed', 'it does not say whom it is about (sub)'],
    ['an empty subject', { sub: '' }, {}, 'malformed', 'it does not say whom it is about (sub)'],
    ['a long life', {}, { longestLifeSec: 599 }, 'too-old', 'it lives 600 s, and at most 599 s are accepted'],
    ['an old token', {}, { longestAgeSec: 30 }, 'too-old', 'it is 60 s old, and at most 30 s are accepted'],
    [
      'an unknown life',
      { iat: undefined },
      { longestLifeSec: 999 },
      'too-old',
      'it does not say when it was issued (iat), and at most 999 s are accepted',
    ],
    [
      'an unknown age',
      { iat: undefined },
      { longestAgeSec: 999 },
      'too-old',
      'it does not say when it was issued (iat), and at most 999 s are accepted',
    ],
    [
      'no binding where one is wanted',
      {},
      { boundTo: ['certificate', 'key'] },
      'unknown-kind',
      'it is a bearer token, and has to be bound to a client certificate or a key (DPoP)',
    ],
    [
      'another binding than the one that is wanted',
      { cnf: { jkt: digest } },
      { boundTo: ['certificate'] },
      'unknown-kind',
      'it is bound to a key (DPoP), of which each request needs a proof, and has to be bound to a client certificate',
    ],
    ...[{ jwk: {} }, { kid: 'x' }, { jkt: digest, kid: 'x' }, {}, [], 'x', null, { jkt: null }].map(
      (cnf): [string, Record<string, unknown>, Partial<JwtTrust>, 'unknown-kind', string] => [
        `bound by ${JSON.stringify(cnf)}`,
        { cnf },
        {},
        'unknown-kind',
        'it is bound in a way of which no proof is seen here (cnf)',
      ],
    ),
    [
      'bound to a key that is no digest',
      { cnf: { jkt: 'x' } },
      {},
      'unknown-kind',
      'it is bound in a way of which no proof is seen here (cnf)',
    ],
  ])('is refused for %s', async (_, claims, trust, reason, detail) => {
    expect(await refusalOf(async () => verify(await signClaims(key, claims), trust))).toEqual({
      reason,
      detail,
      note: detail,
    })
  })

  test('has the key that it is bound to in its identity', async () => {
    const cnf = { 'x5t#S256': digest, jkt: digest }
    const { binding } = await verify(await signClaims(key, { cnf }), { boundTo: ['key'] })
    expect(binding).toEqual({ certificate: digest, key: digest })
  })

  test.each<[string, Record<string, unknown>, Partial<JwtTrust>]>([
    ['a list with ours', { aud: ['https://other.example', goodClaims.aud] }, {}],
    ['the last moment of the skew', { exp: sec(-29.5) }, {}],
    ['the first moment of the skew', { nbf: sec(30), iat: sec(30) }, {}],
    ['a time with a fraction', { exp: sec(0.5) }, {}],
    ['the first and the last moment', { iat: 0, nbf: 0, exp: 253_402_300_799 }, {}],
    ['the longest life', {}, { longestLifeSec: 600, longestAgeSec: 60 }],
    ['no iat where nothing asks for it', { iat: undefined }, {}],
  ])('a token with a good signature is accepted: %s', async (_, claims, trust) => {
    const verified = await verify(await signClaims(key, claims), trust)
    // As it came: what JSON leaves out was not there.
    expect('claims' in verified && verified.claims).toEqual(JSON.parse(JSON.stringify({ ...goodClaims, ...claims })))
  })
})

describe('before the signature is known to hold, only the operator learns what was wrong', () => {
  const types = { types: ['at+jwt', 'x'] }
  const zeros = () => Buffer.alloc(64)
  const named = { alg: 'ES256', kid: key.kid }
  test.each<[string, Partial<JwtTrust>, reason: string, note: string]>([
    ['token', {}, 'malformed', 'it is not a JWT, which has three parts'],
    [
      forgeGood({ ...named, zip: 'DEF' }, zeros),
      {},
      'malformed',
      'it says that its payload is compressed, which signed tokens are not (zip)',
    ],
    [forge(named, { ...goodClaims, iss: 'https://x' }, zeros), {}, 'issuer', 'its issuer "https://x" is not trusted'],
    [forge(named, { sub: 'dana' }, zeros), {}, 'issuer', 'it names no issuer (iss)'],
    [forgeGood(named, zeros), types, 'unknown-kind', 'its type (typ) is none, not "at+jwt" or "x"'],
    [
      forgeGood({ alg: 'ES384' }, zeros),
      { algorithms: ['ES256', 'RS256'] },
      'algorithm',
      'it is signed by "ES384", and only ES256, RS256 is accepted',
    ],
    [forgeGood({ alg: 'none' }, zeros), {}, 'algorithm', '"none" is not an algorithm that is ever accepted'],
    [forgeGood({ ...named, kid: 'other' }, zeros), {}, 'unknown-key', 'the issuer has no key for ES256 of this kid'],
    [forgeGood({ alg: 'EdDSA' }, zeros), {}, 'unknown-key', 'the issuer has no key for EdDSA'],
    [
      forgeGood({ alg: 'ES256' }, zeros),
      { keys: { inline: { keys: [key.jwk, another.jwk] } } },
      'unknown-key',
      'the issuer has 2 keys for ES256 and the token does not say which (kid)',
    ],
    [
      forgeGood(named, zeros),
      { keys: { inline: { keys: [key.jwk, { ...another.jwk, kid: key.kid }] } } },
      'unknown-key',
      'the issuer has 2 keys for ES256 of this kid',
    ],
    [
      forgeGood(named, zeros),
      { keys: { inline: { keys: [] } } },
      'keys-unavailable',
      'the policy gave no key that can be used',
    ],
    [forgeGood(named, zeros), {}, 'signature', 'the signature does not hold'],
  ])(
    'the note on token %# is for the operator, and the client is told no detail',
    async (token, trust, reason, note) => {
      expect(await refusalOf(() => verify(token, trust))).toEqual({ reason, detail: undefined, note })
    },
  )
})

async function verify(token: string, trust: Partial<JwtTrust> = {}) {
  const keys = createIssuerKeys({ fetch: () => Promise.reject(new Error('nothing is fetched here')), now: () => now })
  return verifyJwt(token, { trusts: [createTrust([key], trust)], keys, now, clockSkewSec: 30 })
}
