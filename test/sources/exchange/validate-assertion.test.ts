import { describe, expect, test } from 'vitest'
import { validateAssertion } from '../../../src/sources/exchange/validate-assertion.ts'
import { audience, type Claims, forge } from '../../stand-ins/identity/identity-provider.ts'

const now = Date.UTC(2026, 0, 15, 12)
const at = (seconds: number) => now / 1000 + seconds

const source = {
  token: 'the identity token in /run/token',
  audience,
  renewal: 'renew it',
  audienceWay: 'ask for the audience',
}

/** What is wrong with a token and what to do; how far ahead its issuer is where nothing is. */
function judge(text: string, wanted: string | undefined = audience) {
  const judgement = validateAssertion(text, { ...source, audience: wanted }, now)
  if (judgement.verdict === 'good') return judgement.issuerAheadMs / 1000
  const { kind, message, hint } = judgement.failure
  return { kind, what: message.replace(`${source.token} `, ''), hint }
}

const token = (claims: Claims = {}, header?: Claims, signature?: string) =>
  forge({ iat: at(-5), nbf: at(-5), exp: at(300), ...claims }, header, signature)

const bad = (what: string, hint: string) => ({ kind: 'not-configured', what, hint })

describe('a good token', () => {
  test.each<[what: string, claims: Claims]>([
    ['as it usually is', {}],
    ['for several audiences', { aud: ['other', audience] }],
    ['without iat and nbf', { iat: undefined, nbf: undefined }],
    ['with eleven seconds left', { exp: at(11) }],
    ['that is valid from a moment that a small difference of clocks explains', { iat: undefined, nbf: at(119) }],
    ['that was issued a moment ahead', { iat: at(0), nbf: at(0) }],
  ])('%s', (_, claims) => {
    expect(judge(token(claims))).toBe(0)
  })

  test('may be for anybody where no audience is set', () => {
    expect(validateAssertion(token({ aud: undefined }), { ...source, audience: undefined }, now).verdict).toBe('good')
  })

  test.each([30, 600, 86_400])('issued %d s ahead tells how far its issuer is ahead', (ahead) => {
    expect(judge(token({ iat: at(ahead), nbf: at(ahead), exp: at(ahead + 300) }))).toBe(ahead)
  })
})

describe('what is no JWT', () => {
  test.each([
    ['', 'nothing'],
    ['token', 'a word'],
    ['a.b', 'two parts'],
    ['a.b.c', 'three parts that hold nothing'],
    [`${token()}.x`, 'four parts'],
    [`${token()}=`, 'padding'],
    [token().replace('.', ' .'), 'a space'],
    [['[]', '{}', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.'), 'a list for a header'],
    [['{}', 'null', 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.'), 'no claims'],
    ['<html>please sign in</html>', 'a page'],
  ])('%j: %s', (text) => {
    expect(judge(text)).toEqual(bad('is no JWT', 'renew it'))
  })
})

describe('a token that nobody can believe', () => {
  const unsigned = bad('is not signed, so that nobody can believe it', 'have the identity provider sign its tokens')
  test.each(['none', 'None', 'NONE'])('names the algorithm %s', (alg) => {
    expect(judge(token({}, { alg }))).toEqual(unsigned)
  })

  test('has no signature', () => {
    expect(judge(token({}, undefined, ''))).toEqual(unsigned)
  })
})

describe('claims', () => {
  const lacks = (what: string) => bad(`lacks ${what}, which the exchange needs`, 'have the identity provider add it')
  test.each<[Claims, string]>([
    [{ iss: undefined }, 'iss'],
    [{ sub: undefined }, 'sub'],
    [{ sub: 7 }, 'sub'],
    [{ exp: undefined }, 'exp'],
    [{ exp: 'tomorrow' }, 'exp'],
    [{ iss: '', sub: null, exp: undefined }, 'iss and sub and exp'],
  ])('%j is not enough', (claims, missing) => {
    expect(judge(token(claims))).toEqual(lacks(missing))
  })
})

describe('another audience', () => {
  test.each<[aud: unknown, named: string]>([
    ['api://other', '"api://other"'],
    [['a', 'b'], '"a", "b"'],
    [undefined, 'of nobody'],
    [7, 'of nobody'],
    [`${audience}/`, `"${audience}/"`],
  ])('%j is named', (aud, named) => {
    expect(judge(token({ aud }))).toEqual(
      bad(`is for the audience ${named}, not for "${audience}"`, 'ask for the audience'),
    )
  })
})

describe('times', () => {
  const clock = 'renew it; if it is not that late, set the clock of this machine'
  test.each<[left: number, word: string, date: string]>([
    [-3600, 'ended', '11:00:00'],
    [0, 'ended', '12:00:00'],
    [9, 'ends', '12:00:09'],
  ])('with %d s left it is too old, and says by which clock', (left, word, date) => {
    expect(judge(token({ exp: at(left) }))).toEqual(
      bad(`${word} at 2026-01-15T${date}.000Z, and here it is 2026-01-15T12:00:00.000Z`, clock),
    )
  })

  test('an end beyond all time is a time', () => {
    expect(judge(token({ exp: 1e300 }))).toBe(0)
    expect(judge(token({ exp: -1e300 }))).toEqual(
      bad('ended at an unknown time, and here it is 2026-01-15T12:00:00.000Z', clock),
    )
  })

  test('issued long ago, and not valid yet', () => {
    expect(judge(token({ nbf: at(121) }))).toEqual(
      bad(
        'is not valid before 2026-01-15T12:02:01.000Z, and here it is 2026-01-15T12:00:00.000Z',
        'wait until then, or renew it',
      ),
    )
  })
})

test('no judgement repeats a part of the token', () => {
  const parts = (text: string) => text.split('.').filter((part) => part.length > 3)
  for (const text of [
    token({ exp: at(-1) }),
    token({ aud: 'x' }),
    token({ sub: undefined }),
    token({}, { alg: 'none' }),
  ])
    expect(parts(text).filter((part) => JSON.stringify(judge(text)).includes(part))).toEqual([])
})
