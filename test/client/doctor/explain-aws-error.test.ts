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
])('of %j the action is taken, and who denies it', (text, denial) => {
  expect(parseDenial(text)).toEqual(denial)
})

interface Case {
  readonly text?: string
  readonly type?: string
}
const explain = ({ text = '', type }: Case) =>
  explainAwsError({ text, headers: new Headers(type === undefined ? {} : { 'x-amzn-errortype': type }) })

describe('an answer of AWS', () => {
  test.each<[what: string, answer: Case, words: RegExp]>([
    [
      'expired credentials, in a header',
      { type: 'ExpiredTokenException:http://internal/' },
      /have expired or were revoked/,
    ],
    ['expired credentials, in JSON', { text: '{"__type":"com.amazon.coral#ExpiredTokenException"}' }, /have expired/],
    ['expired credentials, in XML', { text: '<Error><Code>ExpiredToken</Code></Error>' }, /have expired/],
    ['an unknown key', { text: '<Code>InvalidClientTokenId</Code>' }, /does not know the access key/],
    ['an unknown key of a newer service', { type: 'UnrecognizedClientException' }, /does not know the access key/],
    ['a wrong signature', { type: 'InvalidSignatureException' }, /does not accept the signature/],
    [
      'a wrong signature of an older service',
      { text: '<Code>SignatureDoesNotMatch</Code>' },
      /does not accept the sig/,
    ],
    ['a region', { type: 'RegionDisabledException' }, /region is switched off/],
    [
      'a missing permission',
      { text: `${who}: bedrock:InvokeModel ${resource}` },
      /is not allowed bedrock:InvokeModel$/,
    ],
    [
      'an explicit deny',
      { text: `${who}: a1:Bc ${resource}, with an explicit deny in a VPC endpoint policy` },
      /^a VPC endpoint policy denies .* a1:Bc$/,
    ],
  ])('that says %s is explained', (_what, answer, words) => {
    expect(explain(answer)).toEqual({ outcome: 'bad', cause: expect.stringMatching(words), hint: expect.any(String) })
  })

  test.each<Case>([
    {},
    { text: '{"error":{"type":"authentication_error"}}' },
    { type: 'constructor' },
    { type: 'AccessDeniedException' },
  ])('is none in %j', (answer) => {
    expect(explain(answer)).toBeUndefined()
  })

  test('repeats nothing of a message but the action', () => {
    expect(JSON.stringify(explain({ text: `${who}: bedrock:InvokeModel ${resource}` }))).not.toMatch(
      /canary|111122223333/,
    )
  })
})
