import { chmod } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import { fails, type Outcome, prints } from '../../../setup/run-program.ts'
import { issuer, policyFile } from '../../../verify/policy/policy-text.ts'
import { writeTemporary } from '../../run-gatepass.ts'
import { createTestCli } from '../../run-here.ts'
import { writeJwt } from '../../verify/verify-here.ts'

async function policyHere(input: string, ...argv: readonly string[]): Promise<Outcome> {
  const { cli, written } = await createTestCli(['gateway', 'policy', ...argv])
  const stdin = async () => Buffer.from(input)
  await runCli({ ...cli, host: { ...cli.host, streams: { ...cli.host.streams, stdin } } })
  return written
}

const aws = { audience: 'gateway.example' }
const rules = [
  { name: 'people', issuer, claims: { groups: ['llm-*'] }, headers: { 'x-user': '{email}' } },
  {
    name: 'builds',
    aws: { accounts: ['111122223333'], roles: ['build'] },
    headers: { 'x-role': '{role}' },
    use: 'once',
  },
]
const good = JSON.stringify(policyFile({ aws, rules }))

describe('gatepass gateway policy check', () => {
  test('says that a policy is valid', async () => {
    const path = await writeTemporary('policy.json', good)
    expect(await policyHere('', 'check', path)).toEqual(
      prints(
        'This policy works, with 2 rules: nothing to report.\n' +
          'The gateway has to remove these headers from what a caller sends, and set them: x-user, x-role.\n',
      ),
    )
  })

  test('says what is wrong, where, and what to do', async () => {
    const path = await writeTemporary(
      'policy.json',
      '{\n"issuers": [],\n"rules": [{"name": "a", "aws": {"roles": ["*"]}}]}',
    )
    expect(await policyHere('', 'check', path)).toEqual({
      status: 1,
      stdout: `Errors: no verifier starts with this, and one that runs keeps its earlier policy
  rules[0].aws  aws-missing  line 3, column 25
    no proof of an AWS identity is accepted
    → add aws with an audience, beside rules
  rules[0].aws  every-account-unsaid  line 3, column 25
    it lets identities of every AWS account pass, including accounts of strangers, who can give their roles any name
    → add accounts, or say that this is meant: "everyAccount": true

This policy does not work as it stands: 2 errors.
`,
      stderr: '',
    })
  })

  test.each([
    ['nested', { $schemaVersion: 2, inference: { provider: 'gateway' } }],
    ['flat', { inferenceProvider: 'gateway' }],
  ])('recognizes the client’s document in the %s form, and names its check', async (_, document) => {
    const path = await writeTemporary('document.json', JSON.stringify(document))
    expect(await policyHere('', 'check', path)).toEqual({
      status: 2,
      stdout: `Errors: no verifier starts with this, and one that runs keeps its earlier policy
  the document  not-a-policy
    it is a configuration document of the client, not the policy of a verifier
    → check it with: gatepass config check '${path}'

The policy cannot be read.
`,
      stderr: '',
    })
  })

  test('warns that nobody passes without a rule', async () => {
    const path = await writeTemporary('policy.json', '{"rules": []}')
    const finding = {
      path: 'rules',
      code: 'no-rules',
      severity: 'warning',
      message: 'nobody passes without a rule',
      hint: 'add a rule',
      line: 1,
      column: 2,
    }
    const report = (status: number) =>
      `${JSON.stringify({ status, document: path, findings: [finding], headers: [] }, undefined, 2)}\n`
    expect(await policyHere('', 'check', path, '--json')).toEqual({ status: 0, stdout: report(0), stderr: '' })
    expect(await policyHere('', 'check', path, '--json', '--strict')).toEqual({
      status: 1,
      stdout: report(1),
      stderr: '',
    })
  })

  test('reads standard input as a file', async () => {
    const findings = [
      {
        path: 'rules',
        code: 'no-rules',
        line: 1,
        column: 2,
        severity: 'warning',
        message: 'nobody passes without a rule',
        hint: 'add a rule',
      },
    ]
    const { status, stdout, stderr } = await policyHere('{"rules": []}', 'check', '-', '--json')
    expect({ status, stderr, report: JSON.parse(stdout) }).toEqual({
      status: 0,
      stderr: '',
      report: { status: 0, document: 'standard input', findings, headers: [] },
    })
  })

  test('says the same of standard input as of a file', async () => {
    const ofFile = await policyHere('', 'check', await writeTemporary('policy.json', good))
    expect(await policyHere(good, 'check', '-')).toEqual(ofFile)
  })

  test('refuses empty standard input', async () => {
    expect(await policyHere('', 'check', '-')).toEqual({
      status: 2,
      stderr: '',
      stdout: [
        'Errors: no verifier starts with this, and one that runs keeps its earlier policy',
        '  the document  empty-file',
        '    it is empty',
        '    → write a JSON object',
        '',
        'The policy cannot be read.',
        '',
      ].join('\n'),
    })
  })

  test('refuses standard input with --here', async () => {
    expect(await policyHere(good, 'check', '-', '--here')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'gatepass: --here checks who can write the file, and standard input is not a file\ngatepass: hint: name the file, or remove --here\n',
    })
  })

  test('ends with 2 for a file that cannot be read', async () => {
    const path = await writeTemporary('policy.json', '{')
    const { status, stdout } = await policyHere('', 'check', path)
    expect([status, stdout]).toEqual([
      2,
      [
        'Errors: no verifier starts with this, and one that runs keeps its earlier policy',
        '  the document  not-json',
        '    it is not JSON: line 1, column 2',
        '    → fix the syntax there: a missing comma or quote, a typographic quote, a comment, a comma before a closing bracket',
        '',
        'The policy cannot be read.',
        '',
      ].join('\n'),
    ])
    expect(await policyHere('', 'check', `${path}.none`)).toEqual({
      status: 2,
      stdout: `Errors: no verifier starts with this, and one that runs keeps its earlier policy
  the document  file-unreadable
    there is no ${path}.none
    → check the path, and put the file there

The policy cannot be read.
`,
      stderr: '',
    })
  })

  test('checks with --here who can write the file', async () => {
    const path = await writeTemporary('policy.json', good)
    await chmod(path, 0o666)
    expect(await policyHere('', 'check', path)).toEqual(
      prints(`This policy works, with 2 rules: nothing to report.
The gateway has to remove these headers from what a caller sends, and set them: x-user, x-role.
`),
    )
    expect(await policyHere('', 'check', path, '--here')).toEqual({
      status: 1,
      stdout: `Errors: no verifier starts with this, and one that runs keeps its earlier policy
  the document  file-mode
    ${path} can be written by other users
    → run: chmod go-w '${path}'

This policy does not work as it stands: 1 error.
`,
      stderr: '',
    })
  })
})

describe('gatepass gateway policy try', () => {
  const tryWith = async (input: unknown, ...flags: readonly string[]) => {
    const path = await writeTemporary('policy.json', good)
    return policyHere(typeof input === 'string' ? input : JSON.stringify(input), 'try', path, ...flags)
  }
  const claims = {
    iss: issuer,
    aud: 'https://gateway.example',
    sub: 'dana',
    groups: ['llm-dev'],
    email: 'd@example.com',
  }

  test('says which rule lets claims pass, and with which headers', async () => {
    const passed = prints(
      'The rule "people" lets it pass as often as it is sent, with these headers:\n  x-user: d@example.com\n  x-role: \n',
    )
    expect([
      await tryWith(claims),
      await tryWith(writeJwt(claims)),
      await tryWith({ token: writeJwt(claims) }),
    ]).toEqual([passed, passed, passed])
  })

  test.each([
    ['of all callers', { limits: { callers: { requests: 1, everySec: 60 } } }, {}, ' at most 1 request in 60 s'],
    [
      'of its rule, in place of that of all callers',
      { limits: { callers: { requests: 1, everySec: 60 } } },
      { limit: { requests: 600, everySec: 60, burst: 100 } },
      ' at most 600 requests in 60 s, 100 at once',
    ],
  ])('names the limit %s', async (_, limits, limit, words) => {
    const path = await writeTemporary(
      'policy.json',
      JSON.stringify(policyFile({ ...limits, rules: [{ ...rules[0], ...limit }] })),
    )
    expect(await policyHere(JSON.stringify(claims), 'try', path)).toEqual({
      status: 0,
      stdout: `The rule "people" lets it pass (for its owner${words}), with these headers:\n  x-user: d@example.com\n`,
      stderr: '',
    })
  })

  test('takes the output of the AWS CLI for a caller', async () => {
    const arn = 'arn:aws:sts::111122223333:assumed-role/build/i-1'
    expect(await tryWith({ UserId: 'AROAEXAMPLE:i-1', Account: '111122223333', Arn: arn }, '--json')).toEqual({
      status: 0,
      stdout: `${JSON.stringify({ status: 0, passes: true, rule: 'builds', use: 'once', headers: { 'x-user': '', 'x-role': 'build' } }, undefined, 2)}\n`,
      stderr: '',
    })
  })

  test.each([
    ['no rule', { ...claims, groups: ['x'] }, 'no rule holds: people: groups (no accepted value) (no-rule)'],
    ['another issuer', { ...claims, iss: 'https://x.example' }, 'the policy has no such issuer (issuer)'],
    ['another audience', { ...claims, aud: ['x'] }, 'its audience is not one of https://gateway.example (audience)'],
    ['another partition', { Arn: 'arn:aws-cn:iam::111122223333:root' }, 'its partition is not one of aws (host)'],
  ])('says why nobody passes with %s', async (_, input, why) => {
    expect(await tryWith(input)).toEqual({ status: 1, stdout: `It does not pass: ${why}.\n`, stderr: '' })
  })

  test('repeats nothing of an input that it cannot read', async () => {
    const { status, stdout, stderr } = await tryWith('hunter2-hunter2')
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'gatepass: the input is neither a JWT nor a JSON object with iss\ngatepass: hint: give the claims as JSON; for a proof of an AWS identity give what `aws sts get-caller-identity` prints\n',
    })
  })

  test('takes a request for rules that apply to some requests', async () => {
    const rule = { name: 'chat', issuer, everyone: true, request: { hosts: ['*.example'], models: ['small-*'] } }
    const file = await writeTemporary('policy.json', JSON.stringify(policyFile({ rules: [rule] })))
    const tryRequest = (...flags: string[]) => policyHere(JSON.stringify({ iss: issuer }), 'try', file, ...flags)
    const passes = 'The rule "chat" lets it pass as often as it is sent, without headers.\n'
    expect([
      await tryRequest('--host', 'gateway.example:443', '--model', 'small-1', '--method', 'GET', '--path', '/'),
      await tryRequest('--host', 'gateway.example'),
    ]).toEqual([
      { status: 0, stdout: passes, stderr: '' },
      {
        status: 1,
        stdout:
          "It does not pass: no rule holds: chat: the request's model (not passed by the gateway, or ambiguous) (no-rule).\n",
        stderr: '',
      },
    ])
  })

  test('refuses empty standard input', async () => {
    expect(await tryWith('\n')).toEqual(
      fails('gatepass', 2, 'standard input is empty', 'pipe a JWT, the output of a helper, or claims as JSON in'),
    )
  })

  test('names the missing file of the policy', async () => {
    const path = `${await writeTemporary('policy.json', '{}')}.none`
    expect(await policyHere(JSON.stringify(claims), 'try', path)).toEqual({
      status: 3,
      stdout: '',
      stderr: `gatepass: the policy ${path} cannot be used: there is no ${path}\ngatepass: hint: check the path, and put the file there\n`,
    })
  })

  test('takes the policy from a file, because standard input has the person to try', async () => {
    expect(await policyHere(good, 'try', '-')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'gatepass: standard input has the person to try, and cannot have the policy as well\ngatepass: hint: name the file of the policy; to check a policy from standard input: gatepass gateway policy check -\n',
    })
  })

  test('refuses a policy that is wrong', async () => {
    const path = await writeTemporary('policy.json', '{"rules": 7}')
    expect(await policyHere(JSON.stringify(claims), 'try', path)).toEqual({
      status: 3,
      stdout: '',
      stderr: `gatepass: the policy ${path} cannot be used: rules: expected a list, found a whole number\ngatepass: hint: see everything that is wrong: gatepass gateway policy check --here '${path}'\n`,
    })
  })
})
