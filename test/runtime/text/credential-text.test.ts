import { expect, test } from 'vitest'
import { isCredentialHeader } from '../../../src/runtime/text/credential-text.ts'

test.each([
  'api-key',
  'apikey',
  'X-Api_Key',
  'apiKey',
  'x-org-key',
  'x-accesskey',
  'Ocp-Apim-Subscription-Key',
  'token',
  'X-Auth-Token',
  'xtoken',
  'x-amz-security-token',
  'client-secret',
  'x-password',
  'x-passwd',
  'x-jwt',
  'x-goog-iap-jwt-assertion',
  'Set-Cookie',
  'x-forwarded-authorization',
  'x-auth',
  'x-credentials',
])('a header named %s carries a credential', (name) => {
  expect(isCredentialHeader(name, 'x')).toBe(true)
})

test.each([
  'x-org',
  'x-route',
  'x-tenant-id',
  'x-max-tokens',
  'x-token-limit',
  'x-keyspace',
  'x-monkey',
  'x-author',
  'x-secretary',
  'Idempotency-Key',
  'x-routing-key',
  'x-partition-key',
  'x-password-policy',
])('a header named %s carries none', (name) => {
  expect(isCredentialHeader(name, 'x')).toBe(false)
})

test.each([
  'Bearer x',
  ' basic dTpw',
  'sk-vendor-abc',
  'sk-proj-abc123',
  'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'eyJhbGciOi.e30.x',
  'glpat-abcdefgh',
  'ghp_abcdef',
  'github_pat_11A',
  'AKIAIOSFODNN7EXAMPLE',
  'ASIAIOSFODNN7EXAMPLE',
  'ABSKQmVkcm9ja0FQSUtleS1',
  'AIzaSyD-x',
  'ya29.a0Af',
  'xoxb-1234',
  'npm_abc',
  'hf_abc',
  'hvs.CAES',
  '-----BEGIN PRIVATE KEY-----',
  'AWS4-HMAC-SHA256 Credential=AKIA/x',
])('the value %j is a credential', (value) => {
  expect(isCredentialHeader('x-org', value)).toBe(true)
})

test.each(['eu', 'sk-SK', 'sk', 'basic', 'basic-tier', 'bearer', 'AKIA', 'task-force', 'token', 'ghp', 'org_12345'])(
  'the value %j is not a credential',
  (value) => {
    expect(isCredentialHeader('x-org', value)).toBe(false)
  },
)
