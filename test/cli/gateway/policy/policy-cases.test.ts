import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { createCasesSchema, parseCases } from '../../../../src/cli/gateway/policy/cases.ts'
import { prints } from '../../../setup/run-program.ts'
import { createTestKey, goodClaims, now, signClaims } from '../../../verify/jwt/issuer.ts'
import { issuer, policyFile, policyOf } from '../../../verify/policy/policy-text.ts'
import { writeTemporary } from '../../run-gatepass.ts'
import { runHere } from '../../run-here.ts'

const rules = [
  { name: 'admins', issuer, claims: { groups: ['llm-admins'] }, headers: { 'x-user': '{sub}', 'x-role': 'admin' } },
  { name: 'people', issuer, claims: { groups: ['llm-*'] }, headers: { 'x-user': '{sub}' } },
  { name: 'builds', aws: { accounts: ['111122223333'] }, headers: { 'x-user': '{role}' }, use: 'once' },
]
const aws = { audience: 'gateway.example' }
const good = JSON.stringify(policyFile({ aws, rules }), undefined, 1)

const dana = { iss: issuer, sub: 'dana', groups: ['llm-users'] }
const build = { Arn: 'arn:aws:sts::111122223333:assumed-role/build/i-1', Account: '111122223333', UserId: 'A:i-1' }
const holding = [
  { name: 'an administrator', claims: { ...dana, groups: ['llm-admins'] }, expect: { rule: 'admins' } },
  { name: 'a person', claims: dana, expect: { rule: 'people', headers: { 'X-User': 'dana' } } },
  { name: 'a build', claims: build, expect: { rule: 'builds', headers: { 'x-user': 'build', 'x-role': '' } } },
  { name: 'a stranger', claims: { ...dana, groups: ['staff'] }, expect: { refused: 'no-rule' } },
  { name: 'another issuer', claims: { ...dana, iss: 'https://x.example' }, expect: { refused: 'issuer' } },
]

/** Writes a policy and its cases, and tests them; paths in the output stand as their names alone. */
async function testWith(cases: unknown, policy = good, ...flags: readonly string[]) {
  const path = await writeTemporary('policy.json', policy)
  await writeFile(join(dirname(path), 'policy.test.json'), typeof cases === 'string' ? cases : write(cases))
  const { status, stdout, stderr } = await runHere(['gateway', 'policy', 'test', path, ...flags])
  const shorten = (text: string) =>
    text.replaceAll(`${pathToFileURL(dirname(path)).href}/`, '').replaceAll(`${dirname(path)}/`, '')
  return { status, stdout: shorten(stdout), stderr: shorten(stderr) }
}

const write = (cases: unknown) => JSON.stringify({ cases }, undefined, 1)

describe('gatepass gateway policy test', () => {
  test('says that every case ends as expected, and each rule lets one pass', async () => {
    const stdout =
      'policy.test.json\nCases that end as expected: 5 of 5.\n\npolicy.json\nRules that let a case pass: 3 of 3.\n\n2 of 2 files passed.\n'
    expect(await testWith(holding)).toEqual({ status: 0, stdout, stderr: '' })
    expect(await testWith(holding, good, '--strict')).toEqual({ status: 0, stdout, stderr: '' })
  })

  test('takes the request of a case as a gateway passes it on, for claims and for tokens', async () => {
    const key = await createTestKey('ES256')
    const rule = { name: 'chat', issuer, everyone: true, request: { methods: ['POST'], paths: ['/v1/*'] } }
    const keys = { inline: { keys: [key.jwk] } }
    const issuers = [{ issuer, audiences: ['https://gateway.example'], longestLifeSec: 3600, keys }]
    const token = await signClaims(key, { iss: issuer, iat: now / 1000 - 10_000_000, exp: now / 1000 - 9_999_000 })
    const chat = { method: 'POST', path: '/v1/messages?beta=true' }
    const signed = { token, now: new Date(now - 9_999_900_000).toISOString() }
    const cases = [
      { name: 'chat', claims: dana, request: chat, expect: { rule: 'chat' } },
      { name: 'with a token', ...signed, request: chat, expect: { rule: 'chat' } },
      { name: 'a way out', claims: dana, request: { ...chat, path: '/v1/../x' }, expect: { refused: 'no-rule' } },
      { name: 'another method', ...signed, request: { ...chat, method: 'GET' }, expect: { refused: 'no-rule' } },
      { name: 'nothing known', claims: dana, expect: { refused: 'no-rule' } },
    ]
    expect(await testWith(cases, JSON.stringify(policyFile({ issuers, rules: [rule] })))).toEqual(
      prints(
        'policy.test.json\nCases that end as expected: 5 of 5.\n\npolicy.json\nRules that let a case pass: 1 of 1.\n\n2 of 2 files passed.\n',
      ),
    )
  })

  test('counts how often an owner may pass', async () => {
    const callers = { requests: 600, everySec: 60 }
    const cases = [
      { name: 'as it is', claims: dana, expect: { rule: 'people', limit: { ...callers, burst: 600 } } },
      { name: 'another one', claims: dana, expect: { rule: 'people', limit: { ...callers, burst: 5 } } },
    ]
    const policy = policyFile({ limits: { callers }, rules: [{ name: 'people', issuer, everyone: true }] })
    const { status, stdout } = await testWith(cases, JSON.stringify(policy))
    const [found] = stdout.match(/^ {4}another one: .*$/m) ?? []
    expect({ status, found }).toEqual({
      status: 1,
      found: '    another one: its limit is 600 requests in 60 s, not 600 requests in 60 s, 5 at once',
    })
  })

  test('says what differs, and which rules no case reaches', async () => {
    const cases = [
      { name: 'the rule', claims: dana, expect: { rule: 'admins' } },
      { name: 'the headers', claims: dana, expect: { rule: 'people', headers: { 'x-role': 'admin' } } },
      { name: 'refused', claims: { ...dana, groups: [] }, expect: { rule: 'people' } },
      { name: 'passes', claims: dana, expect: { refused: 'no-rule' } },
      { name: 'the reason', claims: { ...dana, aud: 'x' }, expect: { refused: 'no-rule' } },
    ]
    expect(await testWith(cases)).toEqual({
      status: 1,
      stdout: `policy.test.json
Errors: cases that end in another way, or cannot be used
  cases[0]  case-failed  line 3, column 3
    the rule: expected the rule "admins", and the rule "people" lets it pass
    → correct the policy, or the case if this is meant
  cases[1]  case-failed  line 16, column 3
    the headers: x-role is "", not "admin"; x-user is "dana", not ""
    → correct the policy, or the case if this is meant
  cases[2]  case-failed  line 32, column 3
    refused: expected the rule "people", and it is refused: no-rule, no rule holds: admins: groups (not in the token), people: groups (not in the token)
    → correct the policy, or the case if this is meant
  cases[3]  case-failed  line 43, column 3
    passes: expected a refusal (no-rule), and the rule "people" lets it pass
    → correct the policy, or the case if this is meant
  cases[4]  case-failed  line 56, column 3
    the reason: expected a refusal (no-rule), and it is refused: audience, its audience is not one of https://gateway.example
    → correct the policy, or the case if this is meant

Cases that end as expected: 0 of 5.

policy.json
Warnings: the cases hold, but something is left to do
  rules[0]  rule-unreached  line 12, column 3
    no case passes by the rule "admins"
    → add a case that this rule lets pass
  rules[2]  rule-unreached  line 37, column 3
    no case passes by the rule "builds"
    → add a case that this rule lets pass

Rules that let a case pass: 1 of 3.

1 of 2 files passed.
`,
      stderr: '',
    })
  })

  test('accepts with --strict no rule that no case reaches', async () => {
    const { status, stdout } = await testWith(holding.slice(0, 2), good, '--strict', '--format', 'github')
    expect([status, stdout.split('\n')]).toEqual([
      1,
      [
        'checked policy.test.json: Cases that end as expected: 2 of 2.',
        '::warning file=policy.json,line=37,col=3,title=rule-unreached::rules[2]: no case passes by the rule "builds"%0Aadd a case that this rule lets pass',
        'checked policy.json: Rules that let a case pass: 2 of 3.',
        '',
      ],
    ])
    expect(await testWith(holding.slice(0, 2))).toEqual(
      prints(`policy.test.json
Cases that end as expected: 2 of 2.

policy.json
Warnings: the cases hold, but something is left to do
  rules[2]  rule-unreached  line 37, column 3
    no case passes by the rule "builds"
    → add a case that this rule lets pass

Rules that let a case pass: 2 of 3.

2 of 2 files passed.
`),
    )
  })

  const failing = [holding[0], holding[1], holding[2], { ...holding[3], expect: { rule: 'people' } }]
  const message =
    'a stranger: expected the rule "people", and it is refused: no-rule, no rule holds: admins: groups (no accepted value), people: groups (no accepted value)'
  const hint = 'correct the policy, or the case if this is meant'
  const at = { line: 47, column: 3 }

  test('prints one JSON document for scripts', async () => {
    const { status, stdout, stderr } = await testWith(failing, good, '--json')
    const finding = { path: 'cases[3]', code: 'case-failed', severity: 'error', message, hint, ...at }
    const cases = {
      status: 1,
      document: 'policy.test.json',
      findings: [{ ...finding, title: 'a stranger' }],
      passed: ['an administrator', 'a person', 'a build'],
    }
    const policy = { status: 0, document: 'policy.json', findings: [] }
    expect({ status, stderr, report: JSON.parse(stdout) }).toEqual({
      status: 1,
      stderr: '',
      report: { status: 1, documents: [cases, policy] },
    })
  })

  test('lists the cases by their names for build servers', async () => {
    const { status, stdout } = await testWith(failing, good, '--format', 'junit')
    const words = message.replaceAll('"', '&quot;')
    expect([status, stdout.split('\n')]).toEqual([
      1,
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites tests="5" failures="1">',
        '  <testsuite name="policy.test.json" tests="4" failures="1">',
        '    <testcase classname="policy.test.json" name="an administrator"/>',
        '    <testcase classname="policy.test.json" name="a person"/>',
        '    <testcase classname="policy.test.json" name="a build"/>',
        `    <testcase classname="policy.test.json" name="a stranger"><failure type="case-failed" message="${words}">policy.test.json:47:3 cases[3]: ${words} (${hint})</failure></testcase>`,
        '  </testsuite>',
        '  <testsuite name="policy.json" tests="1" failures="0">',
        '    <testcase classname="policy.json" name="Rules that let a case pass: 3 of 3."/>',
        '  </testsuite>',
        '</testsuites>',
        '',
      ],
    ])
  })

  test('names the lines for code hosts, with the help of this page', async () => {
    const { stdout } = await testWith(failing, good, '--format', 'sarif')
    const { rules: codes } = JSON.parse(stdout).runs[0].tool.driver
    expect({ codes, results: JSON.parse(stdout).runs[0].results }).toEqual({
      codes: [
        {
          id: 'case-failed',
          shortDescription: { text: 'case failed.' },
          fullDescription: { text: 'Errors: cases that end in another way, or cannot be used.' },
          help: { text: 'Each result says how to fix it. docs/gateways/policy.md says what a case is.' },
          defaultConfiguration: { level: 'error' },
        },
      ],
      results: [
        {
          ruleIndex: 0,
          ruleId: 'case-failed',
          level: 'error',
          message: { text: `cases[3]: ${message}. To fix it: ${hint}.` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: 'policy.test.json' },
                region: { startLine: at.line, startColumn: at.column },
              },
              logicalLocations: [{ fullyQualifiedName: 'cases[3]', kind: 'member' }],
            },
          ],
        },
      ],
    })
  })

  test('takes cases from another file', async () => {
    const path = await writeTemporary('policy.json', good)
    const cases = await writeTemporary('more.json', write(holding))
    expect(await runHere(['gateway', 'policy', 'test', path, '--cases', cases, '--format', 'github'])).toEqual({
      status: 0,
      stdout: `checked ${cases}: Cases that end as expected: 5 of 5.\nchecked ${path}: Rules that let a case pass: 3 of 3.\n`,
      stderr: '',
    })
  })

  test('names the missing file of cases', async () => {
    const path = await writeTemporary('policy.json', good)
    const cases = path.replace('.json', '.test.json')
    expect(await runHere(['gateway', 'policy', 'test', path])).toEqual({
      status: 2,
      stdout: '',
      stderr: `gatepass: the cases of ${path} cannot be read: there is no ${cases}\ngatepass: hint: write them there, or name their file with --cases; see an example: gatepass gateway policy test --help\n`,
    })
  })

  test('tests no policy that cannot be used', async () => {
    expect(await testWith(holding, '{"rules": 7}')).toEqual({
      status: 3,
      stdout: '',
      stderr: `gatepass: the policy policy.json cannot be used: rules: expected a list, found a whole number\ngatepass: hint: see everything that is wrong: gatepass gateway policy check --here 'policy.json'\n`,
    })
    expect(await runHere(['gateway', 'policy', 'test', '/nowhere/policy.json'])).toEqual({
      status: 3,
      stdout: '',
      stderr:
        'gatepass: the policy /nowhere/policy.json cannot be used: there is no /nowhere/policy.json\ngatepass: hint: check the path, and put the file there\n',
    })
  })
})

describe('a case with a token', async () => {
  const key = await createTestKey('ES256')
  const issuers = [{ issuer: goodClaims.iss, audiences: [goodClaims.aud], keys: { inline: { keys: [key.jwk] } } }]
  const everyone = [
    { name: 'everyone', issuer: goodClaims.iss, everyone: true, headers: { 'x-user': '{sub}' }, use: 'once' },
  ]
  const policy = JSON.stringify({ issuers, rules: everyone })
  const past = { iat: now / 1000 - 10_000_000, exp: now / 1000 - 9_999_000 }
  const then = new Date((past.iat + 60) * 1000).toISOString()
  const old = await signClaims(key, past)

  test('is verified by the keys of the policy, at the time that it names', async () => {
    const forged = old.replace(/[^.]+$/, (await signClaims(key, { ...past, sub: 'mallory' })).split('.')[2]!)
    const cases = [
      { name: 'then', token: old, now: then, expect: { rule: 'everyone', headers: { 'x-user': 'dana' } } },
      { name: 'then again', token: old, now: then, expect: { rule: 'everyone' } },
      { name: 'today', token: old, expect: { refused: 'expired' } },
      { name: 'forged', token: forged, now: then, expect: { refused: 'signature' } },
      { name: 'not a token', token: 'hunter2', expect: { refused: 'unknown-kind' } },
    ]
    expect(await testWith(cases, policy, '--strict')).toEqual(
      prints(
        'policy.test.json\nCases that end as expected: 5 of 5.\n\npolicy.json\nRules that let a case pass: 1 of 1.\n\n2 of 2 files passed.\n',
      ),
    )
  })

  test('causes a warning while the token has not expired', async () => {
    const cases = [
      {
        name: 'live',
        token: await signClaims(key),
        now: new Date(now).toISOString(),
        expect: { rule: 'everyone' },
      },
    ]
    expect(await testWith(cases, policy)).toEqual(
      prints(`policy.test.json
Warnings: the cases hold, but something is left to do
  cases[0].token  token-live  line 5, column 4
    the token has not expired, and whoever reads this file can use it
    → write one that has expired, and its time as now

Cases that end as expected: 1 of 1.

policy.json
Rules that let a case pass: 1 of 1.

2 of 2 files passed.
`),
    )
  })
})

const policy = policyOf(rules)
const parse = (cases: unknown) => parseCases(Buffer.from(write(cases)), policy)

describe('cases that are wrong', () => {
  const expected = { rule: 'people' }
  const claims = dana
  test.each<[string, object, [string, string, string, string]]>([
    [
      'both claims and a token',
      { claims, token: 'a.b.c', expect: expected },
      ['cases[0]', 'case-unusable', 'it has claims and a token', 'make two cases of it: one has claims, one has token'],
    ],
    [
      'neither claims nor a token',
      { expect: expected },
      ['cases[0]', 'case-unusable', 'it is about nobody', 'add claims or a token'],
    ],
    [
      'a time beside claims',
      { claims, now: '2026-01-01T00:00:00Z', expect: expected },
      [
        'cases[0].now',
        'case-unusable',
        'claims are compared with no time',
        'remove it, or write a token in place of claims',
      ],
    ],
    [
      'a malformed time',
      { token: 'a.b.c', now: 'soon', expect: expected },
      ['cases[0].now', 'invalid-value', 'expected a time such as "2026-11-28T09:00:00Z"', 'write it in that form'],
    ],
    [
      'a proof',
      { token: 'k8s-aws-v1.aHR0', expect: expected },
      [
        'cases[0].token',
        'case-unusable',
        'only AWS STS can verify a proof of an AWS identity, and only while it is fresh',
        'write its owner in place of it: claims with what `aws sts get-caller-identity` prints',
      ],
    ],
    [
      'claims of nobody',
      { claims: { sub: 'dana' }, expect: expected },
      [
        'cases[0].claims',
        'case-unusable',
        'they have neither iss nor Arn',
        'add iss, or for an AWS identity write what `aws sts get-caller-identity` prints',
      ],
    ],
    [
      'no outcome',
      { claims, expect: {} },
      [
        'cases[0].expect',
        'case-unusable',
        'it says no outcome',
        'add the rule that lets it pass, or refused with a reason',
      ],
    ],
    [
      'two outcomes',
      { claims, expect: { rule: 'people', refused: 'no-rule' } },
      ['cases[0].expect', 'case-unusable', 'it says two outcomes', 'keep rule or refused'],
    ],
    [
      'headers of a refusal',
      { claims, expect: { refused: 'no-rule', headers: {} } },
      ['cases[0].expect.headers', 'case-unusable', 'whoever is refused has no headers', 'remove it'],
    ],
    [
      'a limit of a refusal',
      { claims, expect: { refused: 'no-rule', limit: { requests: 1, everySec: 1 } } },
      ['cases[0].expect.limit', 'case-unusable', 'whoever is refused has no limit', 'remove it'],
    ],
    [
      'another rule',
      { claims, expect: { rule: 'peeple' } },
      ['cases[0].expect.rule', 'unknown-rule', 'the policy has no such rule', 'did you mean "people"?'],
    ],
    [
      'another header',
      { claims, expect: { rule: 'people', headers: { 'y-z': '' } } },
      [
        'cases[0].expect.headers',
        'unknown-header',
        'the policy has no such header',
        'see the policy: it has x-user, x-role',
      ],
    ],
    [
      'an unknown key',
      { claims, expects: expected, expect: expected },
      ['cases[0].expects', 'unknown-key', 'there is no such key', 'did you mean "expect"?'],
    ],
  ])('a case with %s is refused', (_, wrong, [path, code, message, hint]) => {
    const { cases, findings } = parse([{ name: 'a', ...wrong }])
    const place = { line: expect.any(Number), column: expect.any(Number) }
    expect({ cases, findings }).toEqual({
      cases: undefined,
      findings: [{ path, code, severity: 'error', message, hint, ...place }],
    })
  })

  test('are shown with their lines, and no case is run', async () => {
    const cases =
      '{"cases": [\n{"name": "a", "claims": {"iss": "x"}, "expect": {"rule": "people"}},\n{"name": "a", "expect": {"refused": "never"}}]}'
    expect(await testWith(cases)).toEqual({
      status: 2,
      stdout: `Errors: cases that end in another way, or cannot be used
  cases[1].expect.refused  invalid-value  line 3, column 26
    no token is refused for such a reason
    → write no-rule, issuer, audience, expired, signature or another one of docs/gateways/verifier.md

These cases cannot be used: 1 error.
`,
      stderr: '',
    })
  })

  test('are refused where they repeat a name', () => {
    expect(parse([holding[0], holding[0]]).findings.map(({ path, code }) => [path, code])).toEqual([
      ['cases[1].name', 'duplicate-case'],
    ])
  })
})

test('schema --cases prints the schema of cases', async () => {
  const { stdout } = await runHere(['gateway', 'policy', 'schema', '--cases'])
  expect(JSON.parse(stdout)).toEqual(createCasesSchema())
})

test('the schema and the reader agree', () => {
  const options = { strict: true, strictRequired: false, validateFormats: false }
  const validate = new Ajv2020(options).compile(createCasesSchema())
  const files = [holding, [], [{ name: 'a', expect: {} }], [{ ...holding[0], name: 7 }], [{ ...holding[0], now: 'x' }]]
  const structural = ['unknown-key', 'required-missing', 'wrong-type', 'out-of-range', 'invalid-value']
  expect(files.map((cases) => validate({ cases }))).toEqual(
    files.map((cases) => !parse(cases).findings.some(({ code }) => structural.includes(code))),
  )
})
