import { describe, expect, test } from 'vitest'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { issuer, policyFile } from './policy-text.ts'

type Members = Readonly<Record<string, unknown>>

/** `path code` of everything that is found. */
function codesOf(members: Members, keyFile?: string): string[] {
  const files = new Map(keyFile === undefined ? [] : [['keys.json', Buffer.from(keyFile)]])
  const { findings } = parsePolicy(Buffer.from(JSON.stringify(policyFile(members))), files)
  return findings.map(({ path, code }) => `${path} ${code}`)
}

const trust = { issuer, audiences: ['a'], longestLifeSec: 60 }
const other = { ...trust, issuer: `${issuer}/` }

describe('issuers', () => {
  const rulesFor = (...names: string[]) => names.map((name, at) => ({ name: `r${at}`, issuer: name, everyone: true }))
  const withIssuer = (name: string, more: Members = {}) => ({
    issuers: [{ ...trust, ...more, issuer: name }],
    rules: rulesFor(name),
  })

  test.each<[string, Members, string[]]>([
    ['one that is there twice', { issuers: [trust, trust] }, ['issuers[1].issuer duplicate-issuer']],
    [
      'two that differ in a slash',
      { issuers: [trust, other], rules: rulesFor(issuer, other.issuer) },
      ['issuers[1].issuer issuer-similar'],
    ],
    [
      'one without a rule',
      { issuers: [other, trust] },
      ['issuers[0] issuer-unused', 'issuers[1].issuer issuer-similar'],
    ],
    [
      'a rule with a slash too many',
      { rules: rulesFor(`${issuer}/`) },
      ['issuers[0] issuer-unused', 'rules[0].issuer unknown-issuer'],
    ],
    ['no bound of life', { issuers: [{ issuer, audiences: ['a'] }] }, ['issuers[0] life-unbounded']],
  ])('names %s', (_, members, codes) => {
    expect(codesOf(members)).toEqual(codes)
  })

  test.each<[string, string, ...codes: string[]]>([
    ['plain http', 'http://login.example', 'insecure-url'],
    ['plain http on this machine', 'http://127.0.0.1:8080/realms/x'],
    ['a name that is no address', 'kubernetes/serviceaccount', 'invalid-value'],
    ['the address of metadata', `${issuer}/.well-known/openid-configuration`, 'issuer-inexact'],
    ['any tenant', 'https://login.microsoftonline.com/common/v2.0', 'issuer-of-any-tenant'],
  ])('names an issuer that is %s', (_, name, ...codes) => {
    expect(codesOf(withIssuer(name))).toEqual(codes.map((code) => `issuers[0].issuer ${code}`))
  })

  test('accepts a name that is not an address where keys are given', () => {
    expect(codesOf(withIssuer('kubernetes', { keys: { url: 'https://x.example/keys' } }))).toEqual([])
  })

  test.each<[string, Members, ...codes: string[]]>([
    ['over plain http', { url: 'http://x.example/keys' }, '.url insecure-url'],
    ['with a password', { url: 'https://a:b@x.example' }, '.url invalid-value'],
    ['of nothing', {}, ' keys-missing'],
    ['of two kinds', { url: 'https://x.example', file: 'x/y' }, ' keys-ambiguous', '.file invalid-value'],
    ['with a private one', { inline: { keys: [{ kty: 'RSA', d: 'x' }] } }, '.inline.keys[0] private-key'],
    ['with a shared one', { inline: { keys: [{ kty: 'oct', k: 'x' }] } }, '.inline.keys[0] private-key'],
  ])('names keys %s', (_, keys, ...codes) => {
    expect(codesOf(withIssuer(issuer, { keys }))).toEqual(codes.map((code) => `issuers[0].keys${code}`))
  })

  test.each<[string | undefined, string[]]>([
    ['{"keys": [{"kty": "EC"}]}', []],
    ['{"keys": [{"kty": "EC", "d": "x"}]}', ['private-key']],
    ['{"keys": [{"kty": "x"}]}', ['keys-unusable']],
    ['{"keys": []}', ['keys-unusable']],
    ['[]', ['not-an-object']],
    [undefined, ['file-unreadable']],
  ])('names what is wrong in a file with keys that holds %s', (content, codes) => {
    const members = withIssuer(issuer, { keys: { file: 'keys.json' } })
    expect(codesOf(members, content)).toEqual(codes.map((code) => `issuers[0].keys.file ${code}`))
  })
})

describe('rules', () => {
  const rule = (members: Members) => ({ rules: [{ name: 'a', issuer, ...members }] })
  const ofAws = (aws: Members, more: Members = {}) => ({
    issuers: [],
    aws: { audience: 'x' },
    rules: [{ name: 'a', aws, ...more }],
  })
  const account = { accounts: ['111122223333'] }

  test.each<[string, Members, string[]]>([
    ['for everyone without a word', rule({}), ['rules[0] everyone-unsaid']],
    ['with claims that say nothing', rule({ claims: { sub: ['a', '*'] } }), ['rules[0] everyone-unsaid']],
    ['for everyone who has a claim', rule({ everyone: true, claims: { groups: ['*'] } }), []],
    [
      'for everyone and some',
      rule({ everyone: true, claims: { sub: ['a'] } }),
      ['rules[0].everyone everyone-contradicted'],
    ],
    ['for nobody', { rules: [{ name: 'a' }] }, ['issuers[0] issuer-unused', 'rules[0] rule-of-nobody']],
    ['for both', rule({ aws: account }), ['rules[0] rule-of-nobody']],
    [
      'of one name',
      { rules: [1, 2].map(() => ({ name: 'a', issuer, everyone: true })) },
      ['rules[1] rule-hidden', 'rules[1].name duplicate-rule'],
    ],
    ['with a misspelled claim', rule({ claims: { gruops: ['a'] } }), ['rules[0].claims.gruops claim-misspelled']],
    ['with an address', rule({ claims: { email: ['*@x.example'] } }), ['rules[0].claims.email email-unverified']],
    ['with a verified address', rule({ claims: { email: ['a'], email_verified: ['true'] } }), []],
    [
      'with a bare address as a claim',
      rule({ claims: { 'https://x.example/a': ['b'] } }),
      ['rules[0].claims["https://x.example/a"] invalid-value'],
    ],
    ['with a blank in a pattern', rule({ claims: { sub: ['a '] } }), ['rules[0].claims.sub[0] invalid-value']],
    ['for an account', ofAws(account), []],
    ['for every account without a word', ofAws({ roles: ['build'] }), ['rules[0].aws every-account-unsaid']],
    ['for every account', ofAws({ everyAccount: true }), []],
    [
      'for every account and one',
      ofAws({ ...account, everyAccount: true }),
      ['rules[0].aws.everyAccount everyone-contradicted'],
    ],
    ['for an ARN', ofAws({ arns: ['arn:aws:sts::111122223333:assumed-role/a/*'] }), []],
    [
      'for an ARN of any account',
      ofAws({ arns: ['arn:aws:sts::*:assumed-role/a/*'] }),
      ['rules[0].aws every-account-unsaid'],
    ],
    [
      'for the ARN of a role',
      ofAws({ arns: ['arn:aws:iam::111122223333:role/a'] }),
      ['rules[0].aws.arns[0] arn-never-seen'],
    ],
    ['for an account among claims', ofAws({}, { claims: { account: ['111122223333'] } }), []],
    [
      'for accounts that a pattern matches',
      ofAws({}, { claims: { account: ['1111*'] } }),
      ['rules[0].aws every-account-unsaid'],
    ],
    [
      'with a claim that AWS has not',
      ofAws(account, { claims: { acount: ['a'] }, headers: { 'x-a': '{email}' } }),
      ['rules[0].claims.acount unknown-claim', 'rules[0].headers.x-a unknown-claim'],
    ],
    ['for AWS and everyone', ofAws(account, { everyone: true }), ['rules[0].everyone everyone-contradicted']],
    ['without an audience', { ...ofAws(account), aws: { audience: 'none' } }, ['aws.audience audience-unsigned']],
    ['of which none is for AWS', { aws: { audience: 'x' } }, ['aws aws-unused']],
  ])('names a rule %s', (_, members, codes) => {
    expect(codesOf(members)).toEqual(codes)
  })
})

describe('headers', () => {
  const withHeader = (name: string, value: string) => ({
    rules: [{ name: 'a', issuer, everyone: true, headers: { [name]: value } }],
  })

  test.each([
    ...['Authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'host', 'connection', 'transfer-encoding'],
    ...['content-length', 'te', 'upgrade', 'x-forwarded-for', 'forwarded', 'x-real-ip', 'x-api-key', 'location'],
    ...['www-authenticate', 'gatepass-refusal', 'x-accel-redirect', 'x_user', 'x user', 'x-', 'x\r\ny', 'ü'],
  ])('%j cannot be set', (name) => {
    const member = /^[\w-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
    expect(codesOf(withHeader(name, '{sub}'))).toEqual([`rules[0].headers${member} header-refused`])
  })

  test.each([
    '{',
    '}',
    '{}',
    '{sub',
    'a}b',
    '{{sub}}',
    '{a.b.}',
    '{?}',
    'a\r\nb',
    'ü',
    ' a',
    '{claims.email}',
    'u={sub} ({[claims].x?})',
  ])('%j is not a value', (value) => {
    expect(codesOf(withHeader('x-user', value))).toEqual(['rules[0].headers.x-user template-broken'])
  })

  test('a name and a value that can be sent are accepted', () => {
    expect(codesOf(withHeader('X-Auth-User', 'u={sub} ({[a.b].x?})'))).toEqual([])
  })
})
