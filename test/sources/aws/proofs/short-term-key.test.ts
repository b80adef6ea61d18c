import { STSClient } from '@aws-sdk/client-sts'
import { expect, test } from 'vitest'
import { Secret } from '../../../../src/runtime/secret.ts'
import { signShortTermKey } from '../../../../src/sources/aws/proofs/short-term-key.ts'
import { vendor } from '../../../../src/vendor.ts'

const now = Date.parse('2030-01-01T00:00:00Z')
const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: new Secret('s') }

async function sign(credentials: object, lifetimeSec = 7200, region = 'eu-central-1', service = 'bedrock') {
  const source = { kind: 'keys', profile: 'dev', ...keys } as const
  const files = {
    configPath: '',
    credentialsPath: '',
    missing: [],
    isCustomPath: false,
    lines: [[], []],
    profiles: {},
    profilePaths: {},
    ssoSessions: {},
    services: {},
  }
  const endpoints = { fips: false, dualStack: false, sts: 'regional', configured: {} } as const
  const plan = { source, region, files, endpoints, describeRenewal: () => '', inputs: undefined, steps: [] }
  const minted = await signShortTermKey({ ...keys, ...credentials }, plan, { service, lifetimeSec, now })
  const text = Buffer.from(minted.token.reveal().replace(`${service}-api-key-`, ''), 'base64').toString()
  const url = new URL(`https://${text}`)
  return {
    host: url.host,
    date: url.searchParams.get('X-Amz-Date'),
    expires: url.searchParams.get('X-Amz-Expires'),
    expiresAt: minted.expiresAt,
  }
}

const after = (seconds: number) => new Date(now + seconds * 1000)

test.each([
  ['what is asked for', {}, 7200, '7200'],
  ['what AWS grants', {}, 100_000, '43200'],
  ['what is left of the credentials', { expiration: after(3000.9) }, 7200, '3000'],
  ['what is asked for, of longer credentials', { expiration: after(9000) }, 7200, '7200'],
])('the life in the signature is %s, and expiresAt is its end', async (_, credentials, lifetimeSec, expires) => {
  expect(await sign(credentials, lifetimeSec)).toEqual({
    expires,
    expiresAt: after(Number(expires)),
    host: 'bedrock.amazonaws.com',
    date: '20300101T000000Z',
  })
})

test.each([
  ['behind', 600_000, '20300101T001000Z', 2400],
  ['ahead', -600_000, '20291231T235000Z', 3600],
])(
  'with a clock ten minutes %s of AWS’s, the signature has AWS’s time and expiresAt this machine’s',
  async (_, offset, date, lifeSec) => {
    const found = await sign({ clockOffsetMs: offset, expiration: after(3000) }, 3600)
    expect(found).toEqual({ host: 'bedrock.amazonaws.com', date, expires: String(lifeSec), expiresAt: after(lifeSec) })
  },
)

/** The hosts of the SDK's endpoint rules. */
test.each([
  'eu-central-1',
  'us-gov-west-1',
  'cn-north-1',
  'cn-northwest-1',
  'eusc-de-east-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'us-isof-south-1',
  'eu-isoe-west-1',
])('the host for %s is in the partition that the AWS SDK puts it in', async (region) => {
  const { hostname } = new STSClient({ region }).config.endpointProvider({
    Region: region,
    UseFIPS: false,
    UseDualStack: false,
    UseGlobalEndpoint: false,
  }).url
  const suffix = hostname.replace(`sts.${region}.`, '')
  expect((await sign({}, 7200, region)).host).toBe(`bedrock.${suffix}`)
  expect((await sign({}, 7200, region, vendor.awsService)).host).toBe(`aws-external-vendor.${suffix}`)
})
