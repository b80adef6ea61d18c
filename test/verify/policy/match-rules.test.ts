import { describe, expect, test } from 'vitest'
import { requireRule } from '../../../src/verify/policy/match-rules.ts'
import type { Identity } from '../../../src/verify/verdict.ts'
import { refusalOf } from '../refusal-of.ts'
import { identityWith, issuer, policyOf } from './policy-text.ts'

describe('the first rule that holds', () => {
  const policy = policyOf([
    { name: 'admins', issuer, claims: { groups: ['admins'] }, headers: { 'x-role': 'admin', 'x-user': '{sub}' } },
    { name: 'people', issuer, claims: { groups: ['llm-*'] }, headers: { 'x-user': '{email}' }, use: 'once' },
    { name: 'machines', aws: { accounts: ['111122223333'], roles: ['llm-*'] }, headers: { 'x-account': '{account}' } },
  ])
  const apply = (identity: Identity) => {
    const { rule, headers } = requireRule(identity, policy)
    return { rule: rule.name, use: rule.use, headers }
  }

  test('counts, and every header of any rule is there, empty where this one sets none', () => {
    expect(apply(identityWith({ groups: ['admins', 'llm-dev'], email: 'dana@example.com' }))).toEqual({
      rule: 'admins',
      use: 'many times',
      headers: { 'x-role': 'admin', 'x-user': 'dana', 'x-account': '' },
    })
    expect(apply(identityWith({ groups: ['llm-dev'], email: 'dana@example.com' }))).toEqual({
      rule: 'people',
      use: 'once',
      headers: { 'x-role': '', 'x-user': 'dana@example.com', 'x-account': '' },
    })
  })

  const claims = {
    arn: 'arn:aws:sts::111122223333:assumed-role/llm-dev/dana',
    account: '111122223333',
    role: 'llm-dev',
  }
  const aws: Identity = { ...identityWith({}), kind: 'aws-identity', issuer: 'sts.amazonaws.com', claims }

  test('is for AWS where AWS is the issuer', () => {
    expect(apply(aws)).toEqual({
      rule: 'machines',
      use: 'many times',
      headers: { 'x-role': '', 'x-user': '', 'x-account': '111122223333' },
    })
  })

  const noIssuer = 'no rule is for this issuer'
  test.each<[what: string, identity: Identity, detail: string, note: string]>([
    ['a JWT that names AWS as its issuer', { ...aws, kind: 'jwt' }, noIssuer, noIssuer],
    [
      'an identity of AWS that names another issuer',
      { ...identityWith({ groups: ['admins'] }), kind: 'aws-identity' },
      'no rule accepts its claims: account (not in the token), role (not in the token)',
      'no rule holds: machines: account (not in the token), machines: role (not in the token)',
    ],
    [
      'another account',
      { ...aws, claims: { ...claims, account: '444455556666' } },
      'no rule accepts its claims: account (no accepted value)',
      'no rule holds: machines: account (no accepted value)',
    ],
  ])('is not for %s', async (_, identity, detail, note) => {
    expect(await refusalOf(() => apply(identity))).toEqual({ reason: 'no-rule', detail, note })
  })

  test('needs the claims of its headers', async () => {
    expect(await refusalOf(() => apply(identityWith({ groups: ['llm-dev'] })))).toEqual({
      reason: 'no-rule',
      detail: 'no rule accepts its claims: groups (no accepted value), email (no text for a header)',
      note: 'no rule holds: admins: groups (no accepted value), people: email (no text for a header)',
    })
  })

  test('tells the caller which claims it lacks, without the names and conditions of rules', async () => {
    expect(await refusalOf(() => apply(identityWith({ email: 'dana@example.com' })))).toEqual({
      reason: 'no-rule',
      detail: 'no rule accepts its claims: groups (not in the token)',
      note: 'no rule holds: admins: groups (not in the token), people: groups (not in the token)',
    })
  })
})

describe('a claim', () => {
  const cases: readonly [claims: Record<string, unknown>, condition: Record<string, string[]>, holds: boolean][] = [
    [{ team: 'llm' }, { team: ['llm'] }, true],
    [{ team: 'LLM' }, { team: ['llm'] }, false],
    [{ team: 'llm-dev' }, { team: ['llm'] }, false],
    [{ team: 'llm-dev' }, { team: ['other', 'llm-*'] }, true],
    [{ team: ['a', 'llm-dev'] }, { team: ['llm-*'] }, true],
    [{ team: [] }, { team: ['llm-*'] }, false],
    [{ team: [['llm-dev']] }, { team: ['llm-*'] }, false],
    [{ team: 7 }, { team: ['7'] }, true],
    [{ team: 1.5 }, { team: ['1.5'] }, true],
    [{ team: 2 ** 53 }, { team: ['9007199254740992'] }, false],
    [{ verified: true }, { verified: ['true'] }, true],
    [{ verified: 'true' }, { verified: ['true'] }, true],
    [{ team: null }, { team: ['null'] }, false],
    [{ team: { name: 'llm' } }, { team: ['llm'] }, false],
    [{ team: { name: 'llm' } }, { 'team.name': ['llm'] }, true],
    [{ 'team.name': 'llm' }, { 'team.name': ['llm'] }, false],
    [{ 'team.name': 'llm' }, { '[team.name]': ['llm'] }, true],
    [
      { 'https://sts.amazonaws.com/': { aws_account: '111122223333' } },
      { '[https://sts.amazonaws.com/].aws_account': ['111122223333'] },
      true,
    ],
    [{}, { constructor: ['llm'] }, false],
    [{}, { 'constructor.name': ['Object'] }, false],
    [Object.create({ team: 'llm' }), { team: ['llm'] }, false],
    [{ team: Object.create({ name: 'llm' }) }, { 'team.name': ['llm'] }, false],
    [{ team: ['llm'] }, { 'team.length': ['1'] }, false],
    [{ team: ['llm'] }, { 'team.0': ['llm'] }, false],
    [{ team: 'llm', email: 'x' }, { team: ['llm'], email: ['y'] }, false],
  ]

  /** Finds the name of the rule that lets the claims pass a policy with one condition. */
  const findRule = (claims: object, condition: object) => {
    const policy = policyOf([{ name: 'only', issuer, claims: { sub: ['dana'], ...condition } }])
    const identity = { ...identityWith({}), claims: Object.assign(claims, { sub: 'dana' }) }
    return requireRule(identity, policy).rule.name
  }

  test.each(cases.filter(([, , holds]) => holds))('%j fulfils the condition %j', (claims, condition) => {
    expect(findRule(claims, condition)).toBe('only')
  })

  test.each(cases.filter(([, , holds]) => !holds))('%j does not fulfil the condition %j', async (claims, condition) => {
    expect((await refusalOf(() => findRule(claims, condition))).reason).toBe('no-rule')
  })
})

describe('a header', () => {
  const fill = (template: string, claims: Readonly<Record<string, unknown>>) =>
    requireRule(
      identityWith(claims),
      policyOf([{ name: 'all', issuer, everyone: true, headers: { 'X-Who': template } }]),
    ).headers

  test.each([
    ['{name}', { name: 'Dana Fox' }, 'Dana Fox'],
    ['{name}', { name: 'Fox, Dana' }, 'Fox%2C Dana'],
    ['{name}', { name: 'Zoë 100%' }, 'Zo%C3%AB 100%25'],
    ['{name}', { name: ' a\r\nx-role: admin\0 ' }, '%20a%0D%0Ax-role: admin%00%20'],
    ['{groups}', { groups: ['a', 'b,admin', 'ü'] }, 'a,b%2Cadmin,%C3%BC'],
    ['{groups}', { groups: 'b,admin' }, 'b%2Cadmin'],
    ['{level}/{verified}', { level: 3, verified: false }, '3/false'],
    ['user={sub}; team={team.name?}', {}, 'user=dana; team='],
    ['{[https://example.com/team].name}', { 'https://example.com/team': { name: 'x' } }, 'x'],
  ])('%s is filled from %j as %j', (template, claims, value) => {
    expect(fill(template, claims)).toEqual({ 'x-who': value })
  })

  test.each([
    ['missing', {}],
    ['empty', { name: '' }],
    ['null', { name: null }],
    ['an object', { name: { first: 'Dana' } }],
    ['an empty list', { name: [] }],
    ['a list with an object', { name: ['Dana', {}] }],
    ['a list with an empty text', { name: ['Dana', ''] }],
    ['a number that JSON cannot hold', { name: 2 ** 53 }],
    ['half of a surrogate pair', { name: 'x\ud800' }],
  ])('from a claim that is %s lets nobody pass', async (_, claims) => {
    expect((await refusalOf(() => fill('{name}', claims))).detail).toBe(
      'no rule accepts its claims: name (no text for a header)',
    )
  })

  test('fits with all others into the room that a gateway keeps for an answer', async () => {
    expect(fill('{name}', { name: 'n'.repeat(3072 - 'x-who'.length) })).toEqual({ 'x-who': expect.any(String) })
    expect((await refusalOf(() => fill('{name}', { name: 'n'.repeat(3073 - 'x-who'.length) }))).detail).toBe(
      'no rule accepts its claims: name (too long for a header)',
    )
  })
})

test('a message for a caller is one line of visible ASCII with any name of a claim', async () => {
  const claims = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`[ü\n${index}]`, ['x']]))
  const { detail } = await refusalOf(() => requireRule(identityWith({}), policyOf([{ name: 'only', issuer, claims }])))
  expect(detail).toBe(
    'no rule accepts its claims: [\\u00fc\\u000a0] (not in the token), [\\u00fc\\u000a1] (not in the token), [\\u00fc\\u000a2] (not in the token), [\\u00fc\\u000a3] (not in the token), [\\u00fc\\u000a4] (not in the token), [\\u00fc\\u000a5] (not in the token), [\\u00fc\\u000a6] (not in the token), [\\u00fc\\u000a7] (not in the token), and others',
  )
})
