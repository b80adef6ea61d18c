import { describe, expect, test } from 'vitest'
import { explainAwsError } from '../../../src/client/doctor/explain-aws-error.ts'
import { type Denial, parseDenial } from '../../../src/contract/aws/denial.ts'

const who = 'User: arn:aws:sts::111122223333:assumed-role/build/s is not authorized to perform'
const resource = 'on resource: arn:aws:bedrock:eu-central-1::foundation-model/canary'

test.each<[text: string, denial: Denial | undefined]>([
  [`${who}: bedrock:InvokeModel ${resource}`, { action: 'bedrock:InvokeModel' }],
  [
    `${who}: bedrock:InvokeModel ${resource} because no identity-based policy allows the bedrock:InvokeModel action`,
    { action: 'bedrock:InvokeModel' },
  ],
  [
    `${who}: sts:AssumeRole ${resource} because no session policy allows the sts:AssumeRole action`,
    { action: 'sts:AssumeRole', limitedBy: 'session policy' },
  ],
  [
    `${who}: bedrock-mantle:CreateInference ${resource} with an explicit deny in a service control policy`,
    { action: 'bedrock-mantle:CreateInference', deniedBy: 'service control policy' },
  ],
  [`${who}: kms:Decrypt ${resource} with an explicit deny`, { action: 'kms:Decrypt', deniedBy: 'policy' }],
  ['Not authorized to perform sts:AssumeRoleWithWebIdentity', { action: 'sts:AssumeRoleWithWebIdentity' }],
  ['{"message":"you are not authorized to perform this"}', undefined],
  ['', undefined],
])('the action and the policy that denies it are read from %j', (text, denial) => {
  expect(parseDenial(text)).toEqual(denial)
})

interface Case {
  readonly text?: string
  readonly type?: string
}
const explain = ({ text = '', type }: Case) =>
  explainAwsError({ text, headers: new Headers(type === undefined ? {} : { 'x-amzn-errortype': type }) }, 'token')

describe('an answer of AWS', () => {
  const expired = [
    'the AWS credentials that the token was made with have expired or were revoked',
    'sign in again; then clear the tokens that were made with them: gatepass cache clear',
  ] as const
  const unknown = [
    'AWS does not know the access key that the token was made with, or not in this region or partition',
    'check that the key is active, and that the account has enabled the region: aws account list-regions',
  ] as const
  const unsigned = [
    'AWS does not accept the signature of the token: it was made with another secret key, or for another region or service',
    'compare the region of the helper with that of the gateway; for keys in a file, copy both again',
  ] as const

  test.each<[what: string, answer: Case, cause: string, hint: string]>([
    ['expired credentials, in a header', { type: 'ExpiredTokenException:http://internal/' }, ...expired],
    ['expired credentials, in JSON', { text: '{"__type":"com.amazon.coral#ExpiredTokenException"}' }, ...expired],
    ['expired credentials, in XML', { text: '<Error><Code>ExpiredToken</Code></Error>' }, ...expired],
    ['an unknown key', { text: '<Code>InvalidClientTokenId</Code>' }, ...unknown],
    ['an unknown key of a newer service', { type: 'UnrecognizedClientException' }, ...unknown],
    ['a wrong signature', { type: 'InvalidSignatureException' }, ...unsigned],
    ['a wrong signature of an older service', { text: '<Code>SignatureDoesNotMatch</Code>' }, ...unsigned],
    [
      'a region',
      { type: 'RegionDisabledException' },
      'the region is switched off in the AWS account',
      'have it enabled in the account settings, or set another region',
    ],
    [
      'a missing permission, and repeats nothing but the action',
      { text: `${who}: bedrock:InvokeModel ${resource}` },
      'the AWS identity of the token is not allowed bedrock:InvokeModel',
      'have an administrator of the account allow it bedrock:InvokeModel',
    ],
    [
      'an explicit deny',
      { text: `${who}: a1:Bc ${resource}, with an explicit deny in a VPC endpoint policy` },
      'a VPC endpoint policy denies the AWS identity of the token a1:Bc',
      'have the explicit deny of a1:Bc removed: no other policy can allow it',
    ],
  ])('is explained: %s', (_what, answer, cause, hint) => {
    expect(explain(answer)).toEqual({ outcome: 'bad', cause, hint })
  })

  test.each<Case>([
    {},
    { text: '{"error":{"type":"authentication_error"}}' },
    { type: 'constructor' },
    { type: 'AccessDeniedException' },
  ])('is not found in %j', (answer) => {
    expect(explain(answer)).toBeUndefined()
  })
})
