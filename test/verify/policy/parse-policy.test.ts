import { expect, test } from 'vitest'
import { signatureAlgorithmNames } from '../../../src/contract/signature-algorithms.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { issuer, policyFile } from './policy-text.ts'

test('members that a file leaves out have their defaults', () => {
  const file = policyFile({
    aws: { audience: 'gateway.example' },
    rules: [
      { name: 'people', issuer, claims: { groups: ['llm-*'] }, headers: { 'X-User': '{sub}' } },
      { name: 'machines', aws: { accounts: ['111122223333'], roles: ['llm-*'] }, use: 'once' },
    ],
  })
  expect(read(file)).toEqual({
    findings: [],
    policy: {
      jwt: [
        {
          issuer,
          audiences: ['https://gateway.example'],
          keys: 'discovered',
          algorithms: signatureAlgorithmNames,
          longestLifeSec: 3600,
        },
      ],
      aws: {
        audience: { header: 'x-k8s-aws-id', value: 'gateway.example' },
        prefix: 'k8s-aws-v1.',
        partitions: ['aws'],
        longestAgeSec: 900,
      },
      rules: [
        {
          name: 'people',
          identities: { issuer },
          conditions: [{ claim: { text: 'groups', names: ['groups'] }, patterns: ['llm-*'] }],
          headers: [{ name: 'x-user', value: [{ claim: { text: 'sub', names: ['sub'] }, isOptional: false }] }],
          use: 'many times',
        },
        {
          name: 'machines',
          identities: 'aws',
          conditions: [
            { claim: { text: 'account', names: ['account'] }, patterns: ['111122223333'] },
            { claim: { text: 'role', names: ['role'] }, patterns: ['llm-*'] },
          ],
          headers: [],
          use: 'once',
        },
      ],
      clockSkewSec: 60,
    },
  })
})

test('all problems are reported at once with their lines, and none repeats a value', () => {
  const text = `{
  "isuers": [],
  "issuers": [
    { "issuer": "http://hunter2.example", "audience": ["hunter2"], "audiences": [], "algorithms": ["HS256", "none", "rs256"] }
  ],
  "rules": [
    { "name": 7, "issuer": "https://hunter3.example", "claims": { "groups": "hunter2", "a.b.": ["x"] }, "headers": { "authorization": "{sub}", "x_user": "{sub", "X-A": "1", "x-a": "2" } },
    { "name": "b", "aws": { "accounts": [111122223333] }, "use": "twice" }
  ],
  "clockSkewSec": 3600,
  "clockSkewSec": "60"
}`
  const { policy, findings } = parsePolicy(Buffer.from(text))
  expect(policy).toBeUndefined()
  expect(
    findings.map(({ line, path, code, message, hint }) => `${line} ${path} ${code}: ${message} → ${hint}`),
  ).toEqual([
    '2 isuers unknown-key: there is no such key → did you mean "issuers"?',
    '4 issuers[0] issuer-unused: no rule is for this issuer, so its tokens are refused → add a rule for it, or remove it',
    '4 issuers[0] life-unbounded: a token of this issuer passes for as long as the token itself says → set longestLifeSec to what the issuer gives',
    '4 issuers[0].issuer insecure-url: over plain http anybody on the network could replace the keys by keys of their own → write https://; http is for this machine alone',
    '4 issuers[0].audience unknown-key: there is no such key → did you mean "audiences"?',
    '4 issuers[0].audiences out-of-range: it is empty → fill it in, or remove it if it may be absent',
    "4 issuers[0].algorithms[0] symmetric-algorithm: this algorithm has a shared key, with which everybody who verifies can also sign → name the algorithm of the issuer's public keys, such as RS256 or ES256, or remove the list",
    '4 issuers[0].algorithms[1] symmetric-algorithm: a token that is not signed proves nothing, so "none" is never accepted → name the algorithm of the issuer\'s public keys, such as RS256 or ES256, or remove the list',
    '4 issuers[0].algorithms[2] invalid-value: it is not a known signature algorithm → did you mean "RS256"?',
    '7 rules[0].name wrong-type: expected text, found a whole number → write it in quotes',
    '7 rules[0].issuer unknown-issuer: issuers has no such issuer → write it exactly as issuers[0].issuer',
    '7 rules[0].claims.groups wrong-type: expected a list, found text → write it in [ and ], even if it has one item',
    '7 rules[0].claims["a.b."] invalid-value: it is not the name of a claim: a name with other characters than letters, digits, _ and - stands in brackets → write [a.b.], or for a member of it [a.b.].member',
    '7 rules[0].headers.authorization header-refused: it has a meaning of its own for clients, gateways or servers → choose another name, such as x-auth-user',
    '7 rules[0].headers.x_user header-refused: servers drop headers with an underscore, or take it for the dash of another name → write a dash in its place',
    '7 rules[0].headers.x-a duplicate-header: another header of this rule differs from it in case only → keep one',
    '8 rules[1].aws aws-missing: no proof of an AWS identity is accepted → add aws with an audience, beside rules',
    '8 rules[1].aws.accounts[0] wrong-type: expected text, found a whole number → write it in quotes',
    '8 rules[1].use invalid-value: expected "many times" or "once" → write "many times" or "once", or remove it',
    '11 clockSkewSec duplicate-key: it appears more than once → keep one',
    '11 clockSkewSec wrong-type: expected a whole number, found text → write a whole number',
  ])
})

function read(file: unknown): ReturnType<typeof parsePolicy> {
  return parsePolicy(Buffer.from(JSON.stringify(file)))
}
