import { expect, test } from 'vitest'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'

const own = 'https://login.example.com'
const actions = 'https://token.actions.githubusercontent.com'

/** Returns the codes and places of what is reported about rules. */
function report(issuer: string, ...rules: readonly object[]): string[] {
  const issuers = [{ issuer, audiences: ['gateway'], longestLifeSec: 600 }]
  const named = rules.map((rule, index) => ({ name: `rule-${index}`, issuer, ...rule }))
  const { findings } = parsePolicy(Buffer.from(JSON.stringify({ issuers, rules: named })))
  return findings
    .filter(({ code }) => code !== 'email-unverified')
    .map(({ code, path, severity }) => `${severity} ${code} ${path}`)
}

test.each<[issuer: string, claims: Record<string, string[]>, expected: string[]]>([
  // A claim that every token has narrows nothing.
  [own, { iss: [own] }, ['error everyone-unsaid rules[0]']],
  [own, { aud: ['gateway'], exp: ['1*'] }, ['error everyone-unsaid rules[0]']],
  [own, { iss: [own], groups: ['llm-users'] }, []],
  [own, { groups: ['llm-*'], sub: ['batch-*'] }, []],
  // An issuer of anyone.
  [actions, { ref: ['refs/heads/main'] }, ['error issuer-of-anyone rules[0]']],
  [actions, { sub: ['repo:*'] }, ['error issuer-of-anyone rules[0]', 'warning pattern-open rules[0].claims.sub[0]']],
  [
    actions,
    { repository_owner: ['example', '*-example'] },
    ['error issuer-of-anyone rules[0]', 'warning pattern-open rules[0].claims.repository_owner[1]'],
  ],
  [actions, { repository_owner: ['example'], ref: ['refs/heads/main'] }, []],
  [actions, { sub: ['repo:example/app:*'] }, []],
  [actions, { sub: ['repo:example*'] }, ['warning pattern-open rules[0].claims.sub[0]']],
  ['https://accounts.google.com', { email_verified: ['true'] }, ['error issuer-of-anyone rules[0]']],
  ['https://accounts.google.com', { hd: ['corp.example', '*.corp.example'] }, []],
  ['https://accounts.google.com', { email: ['*@corp.example'] }, []],
  [
    'https://accounts.google.com',
    { email: ['dana@*'] },
    ['error issuer-of-anyone rules[0]', 'warning pattern-open rules[0].claims.email[0]'],
  ],
  // Anybody can call a workflow of a public repository.
  [actions, { job_workflow_ref: ['example/app/*'] }, ['error issuer-of-anyone rules[0]']],
  [actions, { workflow_ref: ['example/app/*'] }, []],
  // The subjects of others have no slash.
  ['https://agent.buildkite.com', { sub: ['organization:example:pipeline:*'] }, []],
  ['https://agent.buildkite.com', { sub: ['organization:exam*'] }, ['warning pattern-open rules[0].claims.sub[0]']],
  [
    'https://app.terraform.io',
    { sub: ['organization:*'] },
    ['error issuer-of-anyone rules[0]', 'warning pattern-open rules[0].claims.sub[0]'],
  ],
  // Patterns without a delimiter.
  [actions, { repository: ['example*'] }, ['warning pattern-open rules[0].claims.repository[0]']],
  [actions, { repository: ['example/*'] }, []],
  [own, { email: ['*corp.example'] }, ['warning pattern-open rules[0].claims.email[0]']],
  [own, { email: ['*@corp*'] }, ['warning pattern-open rules[0].claims.email[0]']],
  [own, { email: ['*@corp.example', 'dana@corp.example', '*.corp.example'] }, []],
])('a rule for %s with %j has the findings %j', (issuer, claims, expected) => {
  expect(report(issuer, { claims })).toEqual(expected)
})

const wide = { claims: { groups: ['llm-*'] } }
const narrow = { claims: { groups: ['llm-admins'], sub: ['dana'] } }

test('a rule that an earlier one hides is reported, unlike the other order', () => {
  expect([report(own, wide, narrow), report(own, narrow, wide), report(own, { everyone: true }, narrow)]).toEqual([
    ['warning rule-hidden rules[1]'],
    [],
    ['warning rule-hidden rules[1]'],
  ])
})

test('a rule whose headers need another claim hides nothing', () => {
  expect(report(own, { ...wide, headers: { 'x-user': '{email}' } }, narrow)).toEqual([])
  expect(report(own, { ...wide, headers: { 'x-user': '{sub}' } }, narrow)).toEqual(['warning rule-hidden rules[1]'])
})

test('a later rule undoes a single use that depends on a claim of a header', () => {
  const once = { ...narrow, use: 'once', headers: { 'x-user': '{email}' } }
  expect([
    report(own, once, wide),
    report(own, once, { ...wide, use: 'once' }),
    report(own, { ...once, headers: { 'x-user': '{sub}' } }, wide),
  ]).toEqual([['warning once-undone rules[0].use'], [], []])
})
