import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { toClaimFacts } from '../../../src/runtime/tokens/claim-facts.ts'

const claims = {
  sub: 'repo:team/app',
  exp: 1_767_225_600,
  id: 2 ** 60,
  fork: false,
  ref: null,
  aud: ['a', 'b'],
  groups: ['a,b', 'c'],
  'https://sts.amazonaws.com/': { aws_account: '111122223333', tags: { team: 'core' } },
  'kubernetes.io': { namespace: 'build' },
}

test.each<[name: string, text: string]>([
  ['claims.sub', 'repo:team/app'],
  ['claims.exp', '1767225600'],
  ['claims.fork', 'false'],
  ['claims.aud', 'a,b'],
  ['claims[sub]', 'repo:team/app'],
  ['claims[https://sts.amazonaws.com/].aws_account', '111122223333'],
  ['claims["https://sts.amazonaws.com/"].tags.team', 'core'],
  ["claims['kubernetes.io'].namespace", 'build'],
])('%s is a claim', (name, text) => {
  expect(toClaimFacts(claims, new Set(['issuer', name]), 'the token')).toEqual({ [name]: text })
})

const all = 'it has aud, exp, fork, groups, https://sts.amazonaws.com/, id, kubernetes.io, ref, sub'
const addClaim = 'name a claim that it has, or have the identity provider add it'

test.each<[name: string, problem: string]>([
  ['claims.email', `which the token does not have; ${all}`],
  ['claims.ref', `which the token does not have; ${all}`],
  ['claims.constructor', `which the token does not have; ${all}`],
  ['claims.sub.length', 'which the token does not have; it has no members there'],
  ['claims[kubernetes.io].pod', 'which the token does not have; it has namespace'],
  ['claims[kubernetes.io]', 'which is not a text in the token; it has namespace'],
  ['claims.groups', 'which is not a text in the token'],
  // JSON cannot hold it exactly: another number would give the same text.
  ['claims.id', 'which is not a text in the token'],
])('%s cannot be a header', (name, problem) => {
  expect(() => toClaimFacts(claims, new Set([name]), 'the token')).toThrow(
    new HelperError('not-configured', `a header asks for {${name}}, ${problem}`, addClaim),
  )
})

test('a message repeats only a part of many or long names', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index + 10}`, 1]))
  expect(() => toClaimFacts({ ...many, ['a'.repeat(65)]: 1 }, new Set(['claims.x']), 'it')).toThrow(
    new HelperError(
      'not-configured',
      'a header asks for {claims.x}, which it does not have; it has c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27, c28, c29, c30, c31, c32, c33, c34, c35, c36, c37, c38, c39, …',
      addClaim,
    ),
  )
})

test('no claim is read that no header asks for', () => {
  expect([toClaimFacts(claims, undefined, 'it'), toClaimFacts(claims, new Set(['subject']), 'it')]).toEqual([{}, {}])
})
