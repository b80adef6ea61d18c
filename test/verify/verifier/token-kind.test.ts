import { expect, test } from 'vitest'
import { rejectAwsKey } from '../../../src/verify/verifier/token-kind.ts'

const bedrock =
  'it begins like a Bedrock API key, which AWS alone can verify: a gateway forwards it unverified, to bedrock-runtime.REGION'

test.each<[what: string, token: string, detail: string | undefined]>([
  ['a short-term key', 'bedrock-api-key-YmVkcm9jaw==', bedrock],
  ['a long-term key', 'ABSKQmVkcm9jaw==', bedrock],
  ['a proof of an identity', 'k8s-aws-v1.aHR0cHM6Ly9zdHM', undefined],
  ['a JWT', 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', undefined],
])('%s is refused only if AWS alone can verify it', (_, token, detail) => {
  const refusal = rejectAwsKey(token)
  expect(refusal && { reason: refusal.reason, detail: refusal.detail }).toEqual(
    detail === undefined ? undefined : { reason: 'unknown-kind', detail },
  )
})
