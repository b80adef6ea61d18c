import { expect } from 'vitest'
import { type AwsService, awsServices } from '../../src/sources/aws/endpoint-settings.ts'
import { type Given, probeHost, probePlan, probeRun } from './probe.ts'

/** How one row of the table is proved. A row that says "no" or "—" has to change nothing. */
export type Proof = 'changes nothing' | 'proved by processes' | ((name: string) => Promise<void>)

const id = 'AKIAEXAMPLE'
const region = 'eu-central-1'
const keys = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: 's' }
const own = { aws_access_key_id: id, aws_secret_access_key: 's' }
const file = { config: { default: { ...own, region }, 'profile dev': { ...own, region } } }
const usual = 'sts.eu-central-1.amazonaws.com'
const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:1/keys' }
const instance = { config: { 'profile dev': { credential_source: 'Ec2InstanceMetadata', region } } }
const local = 'http://127.0.0.1:1'

/** A variable without effect: a run with it has the same outcome as a run without it. */
export async function expectNoChange(name: string, given: (value: string) => Given): Promise<void> {
  expect({ name, ...(await probeRun(given('nonsense'))) }).toEqual({ name, ...(await probeRun(given(''))) })
}

const expectHost = (env: Record<string, string>, host: string) => async () => {
  expect(await probeHost({ ...file, env })).toBe(host)
}
const expectRun = (given: Given, outcome: object) => async () => {
  expect(await probeRun(given)).toMatchObject(outcome)
}
const expectSource = (given: Given, source: object, profile?: string) => async () => {
  expect((await probePlan(given, profile)).source).toMatchObject(source)
}
const web = { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: 'arn:aws:iam::1:role/x', AWS_REGION: region }
const webSource = { kind: 'web-identity', tokenFile: '/token', roleArn: 'arn:aws:iam::1:role/x' }
const temporary = { ...keys, AWS_SESSION_TOKEN: 't', AWS_REGION: region }

/** By the name of the variable. */
export const variables: Readonly<Record<string, Proof>> = {
  AWS_ACCESS_KEY_ID: expectRun({ env: { ...keys, AWS_REGION: region } }, { accessKeyId: id }),
  AWS_SECRET_ACCESS_KEY: expectRun({ env: { AWS_ACCESS_KEY_ID: id } }, { status: 3 }),
  AWS_SESSION_TOKEN: expectRun({ env: temporary }, { accessKeyId: id, isTemporary: true }),
  AWS_CREDENTIAL_EXPIRATION: expectRun(
    { env: { ...temporary, AWS_CREDENTIAL_EXPIRATION: '2001-01-01T00:00:00Z' } },
    { status: 4 },
  ),
  AWS_ACCOUNT_ID: expectSource({ env: { ...temporary, AWS_ACCOUNT_ID: '111122223333' } }, { account: '111122223333' }),
  AWS_PROFILE: expectRun({ ...file, env: { AWS_PROFILE: 'gone' } }, { status: 3 }),
  AWS_REGION: expectRun(
    { ...file, env: { AWS_REGION: 'us-west-2', AWS_DEFAULT_REGION: 'us-east-2' } },
    { region: 'us-west-2' },
  ),
  AWS_DEFAULT_REGION: expectRun({ ...file, env: { AWS_DEFAULT_REGION: 'us-east-2' } }, { region: 'us-east-2' }),
  AWS_CONFIG_FILE: expectRun({ ...file, usualPlace: true, env: { AWS_CONFIG_FILE: '~/nothing' } }, { status: 3 }),
  AWS_SHARED_CREDENTIALS_FILE: expectRun(
    {
      usualPlace: true,
      credentials: { default: { ...own, region } },
      env: { AWS_SHARED_CREDENTIALS_FILE: '~/nothing' },
    },
    { status: 3 },
  ),
  AWS_CA_BUNDLE: 'proved by processes',
  HTTPS_PROXY: 'proved by processes',
  NO_PROXY: 'proved by processes',
  AWS_ROLE_ARN: expectSource({ env: web }, webSource),
  AWS_WEB_IDENTITY_TOKEN_FILE: expectSource({ env: web }, webSource),
  AWS_ROLE_SESSION_NAME: expectSource({ env: { ...web, AWS_ROLE_SESSION_NAME: 'alice' } }, { sessionName: 'alice' }),
  AWS_CONTAINER_CREDENTIALS_FULL_URI: expectSource(
    { env: { ...container, AWS_REGION: region } },
    { kind: 'container', endpoint: 'http://127.0.0.1:1/keys' },
  ),
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: expectSource(
    { env: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/keys', AWS_REGION: region } },
    { kind: 'container', endpoint: 'http://169.254.170.2/keys' },
  ),
  AWS_CONTAINER_AUTHORIZATION_TOKEN: 'proved by processes',
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: 'proved by processes',
  AWS_EC2_METADATA_DISABLED: expectRun(
    {
      config: { default: { region } },
      env: { AWS_EC2_METADATA_DISABLED: 'true', AWS_EC2_METADATA_SERVICE_ENDPOINT: local },
    },
    { status: 3, stderr: expect.stringContaining('no AWS identity is configured') },
  ),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: expectSource(
    { ...instance, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: local } },
    { kind: 'instance', endpoint: local },
    'dev',
  ),
  AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: expectSource(
    { ...instance, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'IPv6' } },
    { endpoint: 'http://[fd00:ec2::254]' },
    'dev',
  ),
  AWS_IMDS_USE_IPV6: expectSource(
    { ...instance, env: { AWS_IMDS_USE_IPV6: 'true' } },
    { endpoint: 'http://[fd00:ec2::254]' },
    'dev',
  ),
  AWS_EC2_METADATA_V1_DISABLED: 'proved by processes',
  AWS_ENDPOINT_URL: expectHost({ AWS_ENDPOINT_URL: local }, '127.0.0.1:1'),
  'AWS_ENDPOINT_URL_<SERVICE>': async () => {
    for (const [service, { setting }] of Object.entries(awsServices)) {
      const env = { AWS_ENDPOINT_URL: 'https://x.example', [`AWS_ENDPOINT_URL_${setting}`]: local }
      expect(await probeHost({ ...file, env }, service as AwsService)).toBe('127.0.0.1:1') // a key of that table
    }
  },
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: expectHost(
    { AWS_ENDPOINT_URL: local, AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
    usual,
  ),
  AWS_USE_FIPS_ENDPOINT: expectHost({ AWS_USE_FIPS_ENDPOINT: 'true' }, 'sts-fips.eu-central-1.amazonaws.com'),
  AWS_USE_DUALSTACK_ENDPOINT: expectHost({ AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'sts.eu-central-1.api.aws'),
  AWS_STS_REGIONAL_ENDPOINTS: expectHost({ AWS_STS_REGIONAL_ENDPOINTS: 'legacy' }, 'sts.amazonaws.com'),
  AWS_LOGIN_CACHE_DIRECTORY: 'proved by processes',
  ...Object.fromEntries(
    [
      ...['AWS_DEFAULT_PROFILE', 'AWS_MAX_ATTEMPTS', 'AWS_RETRY_MODE', 'AWS_SDK_UA_APP_ID'],
      ...['AWS_METADATA_SERVICE_TIMEOUT', 'AWS_METADATA_SERVICE_NUM_ATTEMPTS'],
      ...['AWS_ACCOUNT_ID_ENDPOINT_MODE', 'AWS_AUTH_SCHEME_PREFERENCE', 'AWS_SIGV4A_SIGNING_REGION_SET'],
      ...['AWS_CLI_AUTO_PROMPT', 'AWS_CLI_ERROR_FORMAT', 'AWS_CLI_FILE_ENCODING', 'AWS_CLI_HISTORY_FILE'],
      ...['AWS_CLI_OUTPUT_ENCODING', 'AWS_CLI_S3_MV_VALIDATE_SAME_S3_PATHS', 'AWS_DATA_PATH', 'AWS_DEFAULT_OUTPUT'],
      ...['AWS_DISABLE_REQUEST_COMPRESSION', 'AWS_ENDPOINT_DISCOVERY_ENABLED', 'AWS_PAGER'],
      ...['AWS_REQUEST_CHECKSUM_CALCULATION', 'AWS_REQUEST_MIN_COMPRESSION_SIZE_BYTES'],
      'AWS_RESPONSE_CHECKSUM_VALIDATION',
    ].map((name) => [name, 'changes nothing'] satisfies [string, Proof]),
  ),
}

/** A run in which a variable is set. */
export function withVariable(name: string): (value: string) => Given {
  return (value) => ({ ...file, env: { [name]: value } })
}
