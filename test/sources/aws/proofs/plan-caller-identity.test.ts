import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { planCallerIdentity } from '../../../../src/sources/aws/proofs/plan-caller-identity.ts'
import { testHost } from '../../../setup/test-host.ts'

const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 's' }

async function plan(options: object, env: Record<string, string> = {}) {
  const host = await testHost({ env: { ...keys, ...env } })
  const base = {
    audience: 'a',
    form: 'url',
    'sign-in': 'auto',
    browser: undefined,
    region: 'eu-central-1',
    profile: undefined,
    path: undefined,
    'aws-chain': 'auto',
    'watch-variable': [],
    watch: [],
  } as const
  const unset = { 'audience-header': undefined, prefix: undefined, 'sts-endpoint': undefined }
  return planCallerIdentity(host, { ...base, ...unset, ...options })
}

test.each<[options: object, env: Record<string, string>, host: string, region: string]>([
  [{}, {}, 'sts.eu-central-1.amazonaws.com', 'eu-central-1'],
  [{ 'sts-endpoint': 'global' }, {}, 'sts.amazonaws.com', 'us-east-1'],
  [{ form: 'vault' }, {}, 'sts.amazonaws.com', 'us-east-1'],
  [{ form: 'vault', 'sts-endpoint': 'regional' }, {}, 'sts.eu-central-1.amazonaws.com', 'eu-central-1'],
  [{ region: 'cn-north-1' }, {}, 'sts.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
  [{ region: 'cn-north-1', form: 'vault' }, {}, 'sts.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
  [{ region: 'us-gov-west-1' }, {}, 'sts.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
  [{ region: 'us-west-2' }, { AWS_USE_FIPS_ENDPOINT: 'true' }, 'sts-fips.us-west-2.amazonaws.com', 'us-west-2'],
  [{}, { AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'sts.eu-central-1.api.aws', 'eu-central-1'],
  [{}, { AWS_STS_REGIONAL_ENDPOINTS: 'legacy' }, 'sts.amazonaws.com', 'us-east-1'],
  [{}, { AWS_ENDPOINT_URL_STS: 'https://proxy.example' }, 'sts.eu-central-1.amazonaws.com', 'eu-central-1'],
])('%j with %j is a proof by %s', async (options, env, host, region) => {
  const { proof } = await plan(options, env)
  expect({ host: proof.host, region: proof.region }).toEqual({ host, region })
})

const correct = 'correct audience or audience-header'

test.each<[options: object, message: string, hint: string]>([
  [
    { audience: 'none', 'audience-header': 'X-A' },
    'audience is set to none, but audience-header names a header',
    'remove one of the two',
  ],
  [{ 'audience-header': 'Authorization' }, '"Authorization" cannot carry an audience', correct],
  [{ 'audience-header': 'host' }, '"host" cannot carry an audience', correct],
  [
    { 'audience-header': 'X-Amz-Meta' },
    '"X-Amz-Meta" belongs to AWS',
    'name a header with --audience-header that does not',
  ],
  [{ 'audience-header': 'a b' }, '"a b" is not a header name (RFC 9110 token)', correct],
  [{ audience: 'ä' }, 'the value of "x-k8s-aws-id" has a character beyond visible ASCII and spaces', correct],
  [{ prefix: 'a b' }, 'prefix has a character beyond visible ASCII', 'correct prefix'],
  [
    { region: 'cn-north-1', 'sts-endpoint': 'global' },
    'sts-endpoint is global, and there is no global AWS STS in aws-cn',
    'set sts-endpoint to regional',
  ],
])('%j is refused', async (options, message, hint) => {
  await expect(plan(options)).rejects.toEqual(new HelperError('usage', message, hint))
})
