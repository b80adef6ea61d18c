import { expect, test } from 'vitest'
import { checkByPolicy } from '../../../src/cli/verify/check-by-policy.ts'
import { describeToken } from '../../../src/cli/verify/describe-token.ts'
import { summarizeChecks } from '../../../src/cli/verify/token-check.ts'
import type { Fetch } from '../../../src/runtime/network/network-fetch.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { createProviderIntrospection } from '../../../src/verify/introspection/provider-introspection.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { encodeUrl, signUrl } from '../../stand-ins/caller-identity/sign-proof.ts'
import { createTestKey, goodClaims, now, signClaims } from '../../verify/jwt/issuer.ts'

const key = await createTestKey('ES256')
const { iss, aud } = goodClaims
const account = '111122223333'
const rules = [
  { name: 'people', issuer: iss, claims: { groups: ['ai-*'] }, headers: { 'x-user': '{sub}' }, use: 'once' },
  { name: 'machines', aws: { accounts: [account], roles: ['build'] }, headers: { 'x-account': '{account}' } },
]
const toPolicy = (more: object) =>
  parsePolicy(
    Buffer.from(
      JSON.stringify({
        issuers: [{ issuer: iss, audiences: [aud], keys: { inline: { keys: [key.jwk] } } }],
        rules,
        ...more,
      }),
    ),
  )
const { policy, findings } = toPolicy({ aws: { audience: 'gateway' } })
const { policy: withoutAws } = toPolicy({ rules: rules.slice(0, 1) })

const credentials = { accessKeyId: 'ASIAIOSFODNN7EXAMPLE', secretAccessKey: 'canary', sessionToken: 'canary' }
const proof = encodeUrl(await signUrl({ credentials, at: now, audience: 'gateway' }))
const answerAs =
  (role: string): Fetch =>
  async () => {
    const caller = {
      Arn: `arn:aws:sts::${account}:assumed-role/${role}/dana`,
      Account: account,
      UserId: 'AROAEXAMPLE:dana',
    }
    return Response.json({ GetCallerIdentityResponse: { GetCallerIdentityResult: caller } })
  }
const nobody: Fetch = async (url) => {
  throw new Error(`${url} was asked`)
}

async function check(token: string, fetch: Fetch, sts: 'asked' | 'not asked', used = policy) {
  const { checks, facts } = await checkByPolicy(token, describeToken(token), used!, { now, fetch, sts })
  const last = checks.filter(({ name, status }) => status !== 'met' || name === 'rule')
  const sets = facts.filter(({ name }) => name.startsWith('sets ')).map(({ name, value }) => `${name}: ${value}`)
  return [summarizeChecks(checks), last.map(({ name, status, message }) => `${name}: ${status}: ${message}`), sets]
}

test('the policy of these tests is valid', () => {
  expect([
    policy === undefined,
    withoutAws === undefined,
    findings.filter(({ severity }) => severity === 'error'),
  ]).toEqual([false, false, []])
})

test.each<[what: string, token: string, fetch: Fetch, sts: 'asked' | 'not asked', seen: unknown]>([
  [
    'a token that passes',
    await signClaims(key, { groups: ['ai-dev'] }),
    nobody,
    'not asked',
    ['good', ['rule: met: the rule people lets it pass, once'], ['sets x-user: dana']],
  ],
  [
    'one that no rule is for',
    await signClaims(key, { groups: ['x'] }),
    nobody,
    'not asked',
    ['bad', ['rule: unmet: no rule holds: people: groups (no accepted value)'], []],
  ],
  [
    'one for another audience',
    await signClaims(key, { aud: 'x' }),
    nobody,
    'not asked',
    [
      'bad',
      [
        'audience: unmet: it is for "x", not for "https://gateway.example"',
        'rule: unknown: no rule was searched for, because the check audience failed',
      ],
      [],
    ],
  ],
  [
    'a proof, and AWS STS is not asked',
    proof,
    nobody,
    'not asked',
    [
      'not judged',
      [
        'sts: not asked: not verified: only AWS STS can say whose it is; --sts sends the proof to the host of AWS STS that it names',
        'rule: not asked: its owner is not known without --sts',
      ],
      [],
    ],
  ],
  [
    'a proof that passes',
    proof,
    answerAs('build'),
    'asked',
    ['good', ['rule: met: the rule machines lets it pass'], [`sets x-account: ${account}`]],
  ],
  [
    'a proof of another role',
    proof,
    answerAs('other'),
    'asked',
    ['bad', ['rule: unmet: no rule holds: machines: role (no accepted value)'], []],
  ],
  [
    'a word that is not a token',
    'canary',
    nobody,
    'asked',
    ['bad', ['kind: unmet: the policy takes no tokens of this kind, which is an opaque token'], []],
  ],
])('the policy decides on %s', async (_what, token, fetch, sts, seen) => {
  expect(await check(token, fetch, sts)).toEqual(seen)
})

test('a policy without AWS takes no proof', async () => {
  const [verdict, lines] = await check(proof, nobody, 'asked', withoutAws)
  expect([verdict, lines]).toEqual([
    'bad',
    ['kind: unmet: the policy takes no tokens of this kind, which is a proof of an AWS identity (GetCallerIdentity)'],
  ])
})

test('no keys are fetched for a token of another issuer', async () => {
  const [verdict, lines] = await check(await signClaims(key, { iss: 'http://169.254.169.254' }), nobody, 'not asked')
  expect([verdict, (lines as string[])[0]]).toEqual([
    'bad',
    'issuer: unmet: its issuer "http://169.254.169.254" is not trusted',
  ])
})

const introspection = { url: 'https://id.example/introspect', clientId: 'gateway', secretFile: 'secret' }
const issuers = [{ issuer: iss, audiences: [aud], keys: { inline: { keys: [key.jwk] } }, introspection }]
const signed = await signClaims(key, { groups: ['ai-dev'] })
const rule = 'rule: met: the rule people lets it pass, once, if its provider says that it is active'

test.each<[what: string, settings: object, answer: () => Promise<Response>, outcome: unknown[]]>([
  [
    'active',
    {},
    async () => Response.json({ active: true }),
    ['good', rule, 'active: met: its provider says that it is active'],
  ],
  [
    'not active',
    {},
    async () => Response.json({ active: false }),
    ['bad', rule, 'active: unmet: the provider says that it is not active'],
  ],
  [
    'nothing',
    {},
    async () => new Response('', { status: 500 }),
    ['not found out', rule, 'active: unknown: id.example answered HTTP 500 at /introspect'],
  ],
  [
    'nothing, which lets tokens pass',
    { whileUnavailable: 'pass' },
    async () => new Response('', { status: 500 }),
    ['good', rule, 'active: met: its provider gives no good answer, and the policy lets it pass meanwhile'],
  ],
])('a JWT of which its provider says %s is checked', async (_, settings, answer, outcome) => {
  const own = toPolicy({
    issuers: [{ ...issuers[0], introspection: { ...introspection, ...settings } }],
    rules: rules.slice(0, 1),
  })
  const asked = createProviderIntrospection({
    fetch: answer,
    readSecret: async () => new Secret('canary'),
    now: () => now,
    entries: 1,
    keys: createIssuerKeys({ fetch: nobody, now: () => now }),
  })
  const world = { now, fetch: nobody, sts: 'not asked', introspection: asked } as const
  const { checks } = await checkByPolicy(signed, describeToken(signed), own.policy!, world)
  const last = checks.slice(-2).map(({ name, status, message }) => `${name}: ${status}: ${message}`)
  expect([summarizeChecks(checks), ...last]).toEqual(outcome)
})

test('no provider is asked unless the caller allows it', async () => {
  const tokens = { signed, opaque: 'canary', 'AWS key': `ABSK${'A'.repeat(128)}` }
  const { policy: all } = toPolicy({
    issuers: [{ ...issuers[0], introspection: { ...introspection, opaqueTokens: 'asked' } }],
    rules: rules.slice(0, 1),
  })
  const outcomes = Object.entries(tokens).map(async ([name, token]) => [
    name,
    await check(token, nobody, 'not asked', all),
  ])
  expect(Object.fromEntries(await Promise.all(outcomes))).toEqual({
    signed: ['good', [rule], ['sets x-user: dana']],
    opaque: [
      'not judged',
      [
        'active: not asked: not verified: only its provider can say whose it is; --provider-secrets DIRECTORY asks the one of the policy',
        'rule: not asked: its owner is not known without --provider-secrets',
      ],
      [],
    ],
    'AWS key': [
      'bad',
      [`kind: unmet: the policy takes no tokens of this kind, which is ${describeToken(tokens['AWS key']).title}`],
      [],
    ],
  })
})
