import { expect, test } from 'vitest'
import { describeToken } from '../../../src/client/doctor/describe-token.ts'
import { parseTokenFacts } from '../../../src/client/token/token-facts.ts'

const now = Date.UTC(2026, 0, 15, 12)
const encode = (text: string) => Buffer.from(text).toString('base64')
const query = (action: string) =>
  `Action=${action}&X-Amz-Credential=A%2F20260115%2Feu-west-1%2Fx%2Faws4_request&X-Amz-Date=20260115T120000Z&X-Amz-Expires=60`
const shortTerm = (service: string) =>
  `${service}-api-key-${encode(`${service}.amazonaws.com/?${query('CallWithBearerToken')}`)}`

test.each<[token: string, kind: string, outcome: string]>([
  ['word', 'an opaque token', 'good'],
  [shortTerm('bedrock'), 'a short-term Bedrock API key', 'good'],
  [shortTerm('aws-external-vendor'), 'a short-term aws-external-vendor API key', 'good'],
  [`ABSK${encode('BedrockAPIKey-x:y')}`, 'a long-term Bedrock API key', 'note'],
  [
    `k8s-aws-v1.${encode(`https://sts.eu-west-1.amazonaws.com/?${query('GetCallerIdentity')}`)}`,
    'a proof of an AWS identity (GetCallerIdentity)',
    'good',
  ],
])('%s is %s', (token, kind, outcome) => {
  const part = describeToken({ facts: parseTokenFacts(token, {}), headerNames: [], ttlSec: 60, now })
  expect([part.lines[0]?.replace(/, \d+ bytes$/, ''), part.outcome]).toEqual([kind, outcome])
})
