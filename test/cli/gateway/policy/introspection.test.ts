import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import { parsePolicy } from '../../../../src/verify/policy/parse-policy.ts'
import { prints } from '../../../setup/run-program.ts'
import { createTestKey, goodClaims, now, signClaims } from '../../../verify/jwt/issuer.ts'
import { writeTemporary } from '../../run-gatepass.ts'
import { createTestCli, runHere } from '../../run-here.ts'

const issuer = goodClaims.iss
const introspection = { url: 'https://id.example/introspect', clientId: 'gateway', secretFile: 'id.secret' }
const trust = { issuer, audiences: [goodClaims.aud], longestLifeSec: 3600 }
const people = { name: 'people', issuer, claims: { groups: ['staff'] } }
const builds = { name: 'builds', issuer, claims: { groups: ['builds'] }, introspection: 'skipped' }

type Members = Readonly<Record<string, unknown>>

function renderPolicy(changes: Members = {}, rules: readonly Members[] = [people, builds], more: Members = {}) {
  return JSON.stringify({ issuers: [{ ...trust, introspection: { ...introspection, ...changes }, ...more }], rules })
}

test('check says whom it asks, how often, and what happens while there is no answer', async () => {
  const path = await writeTemporary('policy.json', renderPolicy())
  const changes = { cacheSec: 0, whileUnavailable: 'pass', answers: 'signed', opaqueTokens: 'asked' }
  const other = await writeTemporary('policy.json', renderPolicy(changes, [people]))
  expect([
    await runHere(['gateway', 'policy', 'check', path]),
    await runHere(['gateway', 'policy', 'check', other]),
  ]).toEqual([
    prints(
      [
        'This policy works, with 2 rules: nothing to report.',
        'Tokens of https://id.example have to be active except by "builds": the verifier asks https://id.example/introspect as gateway, once in 30 seconds for each token; while it gives no good answer they are refused.',
        '',
      ].join('\n'),
    ),
    prints(
      [
        'This policy works, with 1 rule: nothing to report.',
        'Tokens of https://id.example have to be active: the verifier asks https://id.example/introspect as gateway, for each request; while it gives no good answer they are let through. Its answers have to be signed. Tokens that are not JWTs are sent there too, and refused without a good answer.',
        '',
      ].join('\n'),
    ),
  ])
})

test('try names the rule for which the provider is asked', async () => {
  const path = await writeTemporary('policy.json', renderPolicy())
  const attempt = async (group: string, ...flags: string[]) => {
    const { cli, written } = await createTestCli(['gateway', 'policy', 'try', path, ...flags])
    const stdin = async () => Buffer.from(JSON.stringify({ iss: issuer, groups: [group] }))
    await runCli({ ...cli, host: { ...cli.host, streams: { ...cli.host.streams, stdin } } })
    return written
  }
  expect([await attempt('staff'), await attempt('builds'), await attempt('staff', '--json')]).toEqual([
    prints(
      'The rule "people" lets it pass as often as it is sent, if its provider says that the token is active, without headers.\n',
    ),
    { status: 0, stdout: 'The rule "builds" lets it pass as often as it is sent, without headers.\n', stderr: '' },
    prints(
      `${JSON.stringify({ status: 0, passes: true, rule: 'people', use: 'many times', introspection: 'required', headers: {} }, undefined, 2)}\n`,
    ),
  ])
})

test.each(['claims', 'token'])('test takes the answer of the provider from the case, for %s', async (kind) => {
  const key = await createTestKey('ES256')
  const policy = renderPolicy({}, [people, builds], { keys: { inline: { keys: [key.jwk] } } })
  const path = await writeTemporary('policy.json', policy)
  const toSubject = async (group: string) => {
    if (kind === 'claims') return { claims: { iss: issuer, groups: [group] } }
    const times = { iat: now / 1000 - 10_000_000, exp: now / 1000 - 9_999_000 }
    return {
      token: await signClaims(key, { ...times, groups: [group] }),
      now: new Date(now - 9_999_900_000).toISOString(),
    }
  }
  const [staff, build] = [await toSubject('staff'), await toSubject('builds')]
  const cases = [
    { name: 'by default', ...staff, expect: { rule: 'people' } },
    { name: 'active', ...staff, provider: 'active', expect: { rule: 'people' } },
    { name: 'inactive', ...staff, provider: 'inactive', expect: { refused: 'inactive' } },
    { name: 'no answer', ...staff, provider: 'unavailable', expect: { refused: 'introspection-unavailable' } },
    { name: 'not asked', ...build, provider: 'inactive', expect: { rule: 'builds' } },
    { name: 'wrong', ...staff, provider: 'inactive', expect: { rule: 'people' } },
  ]
  await writeFile(join(dirname(path), 'policy.test.json'), JSON.stringify({ cases }))
  const { status, stdout, stderr } = await runHere(['gateway', 'policy', 'test', path])
  const lines = stdout.split('\n').filter((line) => /expected/.test(line))
  expect({ status, lines, stderr }).toEqual({
    status: 1,
    lines: [
      '    wrong: expected the rule "people", and it is refused: inactive',
      'Cases that end as expected: 5 of 6.',
    ],
    stderr: '',
  })
})

test.each<[string, Parameters<typeof renderPolicy>[0], ...codes: string[]]>([
  ['nothing wrong', {}],
  ['asked for each request', { cacheSec: 0, whileUnavailable: 'pass' }],
  ['plain http', { url: 'http://id.example/introspect' }, 'url insecure-url'],
  ['plain http on this machine', { url: 'http://127.0.0.1/introspect' }],
  ['a secret in the address', { url: 'https://gateway:x@id.example' }, 'url invalid-value'],
  ['a secret in the policy', { secret: 'x' }, 'secret unknown-key'],
  ['a path of a secret', { secretFile: '../id.secret' }, 'secretFile invalid-value'],
  ['a key', { secretFile: undefined, keyFile: 'id.key', answers: 'signed', opaqueTokens: 'asked' }],
  ['neither a secret nor a key', { secretFile: undefined }, 'secretFile required-missing'],
  ['both a secret and a key', { keyFile: 'id.key' }, 'keyFile invalid-value'],
  ['a path of a key', { secretFile: undefined, keyFile: '/id.key' }, 'keyFile invalid-value'],
  ['a time that is too long', { cacheSec: 3601 }, 'cacheSec out-of-range'],
  ['no client', { clientId: undefined }, 'clientId required-missing'],
])('an issuer is checked for its introspection: %s', (_, changes, ...codes) => {
  expect(codesOf(renderPolicy(changes))).toEqual(codes.map((code) => `issuers[0].introspection.${code}`))
})

test.each<[string, object, string]>([
  [
    'two providers of tokens that do not say whose they are',
    {
      issuers: ['https://a.example', 'https://b.example'].map((name) => ({
        ...trust,
        issuer: name,
        introspection: { ...introspection, opaqueTokens: 'asked' },
      })),
      rules: [
        { ...people, issuer: 'https://a.example' },
        { ...people, name: 'others', issuer: 'https://b.example' },
      ],
    },
    'issuers[1].introspection.opaqueTokens invalid-value',
  ],
  [
    'a rule of an issuer that is not asked',
    { issuers: [trust], rules: [{ ...people, introspection: 'required' }] },
    'rules[0].introspection introspection-missing',
  ],
  [
    'a rule for AWS',
    {
      aws: { audience: 'x' },
      rules: [{ name: 'aws', aws: { accounts: ['111122223333'] }, introspection: 'required' }],
    },
    'rules[0].introspection introspection-missing',
  ],
])('a policy is checked for its introspection: %s', (_, policy, code) => {
  expect(codesOf(JSON.stringify(policy))).toEqual([code])
})

function codesOf(text: string): string[] {
  return parsePolicy(Buffer.from(text)).findings.map(({ path, code }) => `${path} ${code}`)
}
