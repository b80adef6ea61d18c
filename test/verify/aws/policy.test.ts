import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { verifyCallerIdentity } from '../../../src/verify/aws/verify-caller-identity.ts'
import { createIssuerKeys } from '../../../src/verify/jwt/issuer-keys.ts'
import { verifyJwt } from '../../../src/verify/jwt/verify-jwt.ts'
import { requireRule } from '../../../src/verify/policy/match-rules.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import type { Policy } from '../../../src/verify/policy/policy.ts'
import { TokenRefusal } from '../../../src/verify/verdict.ts'
import { type AwsStandIn, startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { encodeUrl, signLogin, signUrl } from '../../stand-ins/caller-identity/sign-proof.ts'
import { createStsFetch } from '../../stand-ins/caller-identity/sts-fetch.ts'

const account = '111122223333'
const audience = 'gateway.example'
const now = Math.floor(Date.now() / 1000) * 1000

let aws: AwsStandIn
beforeAll(async () => {
  aws = await startAwsStandIn()
  return () => aws.close()
})

function readPolicy(text: string): Policy {
  const { policy, findings } = parsePolicy(Buffer.from(text))
  expect(findings).toEqual([])
  return policy!
}

async function settle(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work()
  } catch (refusal) {
    if (refusal instanceof TokenRefusal) return [refusal.reason, refusal.detail]
    throw refusal
  }
}

describe('the policy of docs/gateways/aws.md', () => {
  const page = readFileSync(join(root, 'docs', 'gateways', 'aws.md'), 'utf8')
  const policy = readPolicy(/```json\n(\{\n[^`]*)```/.exec(page)?.[1] ?? '')

  /** The headers for the caller with this ARN. */
  async function pass(arn: string) {
    const token = encodeUrl(await signUrl({ credentials: aws.addAccessKey({ arn }), audience, at: now }))
    const { clockSkewSec, aws: trust } = policy
    const context = { trust: trust!, now, clockSkewSec, fetch: createStsFetch(aws) }
    return settle(async () => requireRule(await verifyCallerIdentity(token, context), policy).headers)
  }

  const session = (owner: string, rest: string) => `arn:aws:sts::${owner}:assumed-role/${rest}`
  test('lets a role of the account pass by its name, with any name of its session', async () => {
    const arn = session(account, 'build/dana@corp.example')
    expect(await pass(arn)).toEqual({ 'x-user': arn, 'x-account': account })
  })

  test.each<[what: string, arn: string, claim: string]>([
    ["the same role of a stranger's account", session('444455556666', 'build/x'), 'account (no accepted value)'],
    ['a role that only begins so', session(account, 'build-admin/x'), 'role (no accepted value)'],
    ['a session that is called as the role', session(account, 'other/build'), 'role (no accepted value)'],
    ['a user that is called as the role', `arn:aws:iam::${account}:user/build`, 'role (not in the token)'],
    ['a user in such a path', `arn:aws:iam::${account}:user/assumed-role/build/x`, 'role (not in the token)'],
    ['a federated user', `arn:aws:sts::${account}:federated-user/build`, 'role (not in the token)'],
    ['the root of the account', `arn:aws:iam::${account}:root`, 'role (not in the token)'],
  ])('refuses %s', async (_, arn, claim) => {
    expect(await pass(arn)).toEqual(['no-rule', `no rule accepts its claims: ${claim}`])
  })
})

describe('an identity token of AWS', () => {
  const nested = '[https://sts.amazonaws.com/]'
  const createPolicy = (changes: object = {}) =>
    readPolicy(
      JSON.stringify({
        issuers: [{ issuer: aws.outboundIdentity.issuer, audiences: [audience], longestLifeSec: 3600 }],
        rules: [
          {
            name: 'workloads',
            issuer: aws.outboundIdentity.issuer,
            claims: { [`${nested}.aws_account`]: [account], [`${nested}.request_tags.job`]: ['nightly-*'], ...changes },
            headers: { 'x-user': '{sub}', 'x-region': `{${nested}.source_region}` },
          },
        ],
      }),
    )

  /** Verifies a token of an AWS account, with the keys that the issuer publishes. */
  async function pass(policy: Policy, algorithm: 'ES384' | 'RS256', job = 'nightly-7') {
    const { issuer, jwks } = aws.outboundIdentity
    const documents: Record<string, object> = {
      [`${issuer}/.well-known/openid-configuration`]: { issuer, jwks_uri: `${issuer}/keys` },
      [`${issuer}/keys`]: jwks(),
    }
    const keys = createIssuerKeys({ fetch: async (url) => Response.json(documents[url]), now: () => now })
    const token = await fetchToken(algorithm, job)
    const identity = async () => verifyJwt(token, { trusts: policy.jwt, keys, now, clockSkewSec: 30 })
    return settle(async () => requireRule(await identity(), policy).headers)
  }

  test.each(['ES384', 'RS256'] as const)(
    'that is signed by %s has its nested claims compared and put into headers',
    async (algorithm) => {
      expect(await pass(createPolicy(), algorithm)).toEqual({
        'x-user': `arn:aws:iam::${account}:role/build`,
        'x-region': 'eu-central-1',
      })
    },
  )

  test('of another account or tag is refused by the name of the claim', async () => {
    const other = createPolicy({ [`${nested}.aws_account`]: ['444455556666'] })
    expect([await pass(other, 'ES384'), await pass(createPolicy(), 'ES384', 'daily')]).toEqual([
      ['no-rule', 'no rule accepts its claims: [https://sts.amazonaws.com/].aws_account (no accepted value)'],
      ['no-rule', 'no rule accepts its claims: [https://sts.amazonaws.com/].request_tags.job (no accepted value)'],
    ])
  })
})

/** What `GetWebIdentityToken` answers to a session of a role. */
async function fetchToken(algorithm: string, job: string): Promise<string> {
  const form = new URLSearchParams({
    Action: 'GetWebIdentityToken',
    Version: '2011-06-15',
    'Audience.member.1': audience,
    SigningAlgorithm: algorithm,
    'Tags.member.1.Key': 'job',
    'Tags.member.1.Value': job,
  }).toString()
  const credentials = aws.addAccessKey({ arn: `arn:aws:sts::${account}:assumed-role/build/ci` })
  const place = { host: 'sts.eu-central-1.amazonaws.com', region: 'eu-central-1' }
  const { url, method, body, headers } = await signLogin({ credentials, ...place, form })
  const sent = { method, body, headers: headers as Record<string, string> } // of the signer
  const answer = await createStsFetch(aws)(url, sent)
  return /<WebIdentityToken>([^<]+)</.exec(await answer.text())?.[1] ?? ''
}
