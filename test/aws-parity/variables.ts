import { expect } from 'vitest'
import { Secret } from '../../src/runtime/secret.ts'
import { type AwsService, awsServices } from '../../src/sources/aws/endpoint-settings.ts'
import { failure } from '../helpers/aws-bedrock-token/workbench.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
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

/** Expects the same outcome of a run with a variable as of a run without it. */
export async function expectNoChange(name: string, given: (value: string) => Given): Promise<void> {
  expect({ name, ...(await probeRun(given('nonsense'))) }).toEqual({ name, ...(await probeRun(given(''))) })
}

const expectHost = (env: Record<string, string>, host: string) => async () => {
  expect(await probeHost({ ...file, env })).toBe(host)
}
const expectRun = (given: Given, outcome: object) => async () => {
  expect(toStableValue(await probeRun(given))).toEqual(outcome)
}
const expectSource = (given: Given, source: object, profile?: string) => async () => {
  expect((await probePlan(given, profile)).source).toEqual(source)
}
const minted = { status: 0, stderr: '', host: 'bedrock.amazonaws.com', accessKeyId: id, region, isTemporary: false }
const web = { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: 'arn:aws:iam::1:role/x', AWS_REGION: region }
const webSource = { kind: 'web-identity', tokenFile: '/token', roleArn: 'arn:aws:iam::1:role/x', region }
const instanceSource = { kind: 'instance', profile: 'dev', endpoint: 'http://[fd00:ec2::254]' }
const temporary = { ...keys, AWS_SESSION_TOKEN: 't', AWS_REGION: region }
const temporarySource = {
  kind: 'environment',
  accessKeyId: id,
  secretAccessKey: new Secret('s'),
  sessionToken: new Secret('t'),
}
const nothing = 'no AWS identity is configured: no profile is named, '
const listProfiles = 'list the profiles with: aws configure list-profiles'
const noDefault = failure(
  3,
  `${nothing}TEMPORARY/.aws/config has no usable [default], and the environment has no keys`,
  `name a profile with --profile or AWS_PROFILE; ${listProfiles}`,
)

/** By the name of the variable. */
export const variables: Readonly<Record<string, Proof>> = {
  AWS_ACCESS_KEY_ID: expectRun({ env: { ...keys, AWS_REGION: region } }, minted),
  AWS_SECRET_ACCESS_KEY: expectRun(
    { env: { AWS_ACCESS_KEY_ID: id } },
    failure(
      3,
      'AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not',
      'set both where the client starts, or neither',
    ),
  ),
  AWS_SESSION_TOKEN: expectRun({ env: temporary }, { ...minted, isTemporary: true }),
  AWS_CREDENTIAL_EXPIRATION: expectRun(
    { env: { ...temporary, AWS_CREDENTIAL_EXPIRATION: '2001-01-01T00:00:00Z' } },
    failure(
      4,
      'the credentials in the environment expired at DATE',
      'set current AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN where the client starts',
    ),
  ),
  AWS_ACCOUNT_ID: expectSource(
    { env: { ...temporary, AWS_ACCOUNT_ID: '111122223333' } },
    { ...temporarySource, account: '111122223333' },
  ),
  AWS_PROFILE: expectRun(
    { ...file, env: { AWS_PROFILE: 'gone' } },
    failure(
      3,
      'profile "gone" is neither in TEMPORARY/.aws/config nor in TEMPORARY/.aws/credentials (which does not exist)',
      `${listProfiles}; or create it with: aws configure sso --profile gone`,
    ),
  ),
  AWS_REGION: expectRun(
    { ...file, env: { AWS_REGION: 'us-west-2', AWS_DEFAULT_REGION: 'us-east-2' } },
    { ...minted, region: 'us-west-2' },
  ),
  AWS_DEFAULT_REGION: expectRun(
    { ...file, env: { AWS_DEFAULT_REGION: 'us-east-2' } },
    { ...minted, region: 'us-east-2' },
  ),
  AWS_CONFIG_FILE: expectRun(
    { ...file, usualPlace: true, env: { AWS_CONFIG_FILE: '~/nothing' } },
    failure(
      3,
      `${nothing}TEMPORARY/nothing has no usable [default], and the environment has no keys`,
      `with AWS_CONFIG_FILE set to TEMPORARY/nothing, name a profile with --profile or AWS_PROFILE; ${listProfiles}`,
    ),
  ),
  AWS_SHARED_CREDENTIALS_FILE: expectRun(
    {
      usualPlace: true,
      credentials: { default: { ...own, region } },
      env: { AWS_SHARED_CREDENTIALS_FILE: '~/nothing' },
    },
    noDefault,
  ),
  AWS_CA_BUNDLE: 'proved by processes',
  HTTPS_PROXY: 'proved by processes',
  NO_PROXY: 'proved by processes',
  AWS_ROLE_ARN: expectSource({ env: web }, webSource),
  AWS_WEB_IDENTITY_TOKEN_FILE: expectSource({ env: web }, webSource),
  AWS_ROLE_SESSION_NAME: expectSource(
    { env: { ...web, AWS_ROLE_SESSION_NAME: 'alice' } },
    { ...webSource, sessionName: 'alice' },
  ),
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
    noDefault,
  ),
  AWS_EC2_METADATA_SERVICE_ENDPOINT: expectSource(
    { ...instance, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT: local } },
    { ...instanceSource, endpoint: local },
    'dev',
  ),
  AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: expectSource(
    { ...instance, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'IPv6' } },
    instanceSource,
    'dev',
  ),
  AWS_IMDS_USE_IPV6: expectSource({ ...instance, env: { AWS_IMDS_USE_IPV6: 'true' } }, instanceSource, 'dev'),
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

/** Returns a run in which a variable is set. */
export function withVariable(name: string): (value: string) => Given {
  return (value) => ({ ...file, env: { [name]: value } })
}
