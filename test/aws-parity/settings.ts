import { expect } from 'vitest'
import { Secret } from '../../src/runtime/secret.ts'
import { failure } from '../helpers/aws-bedrock-token/workbench.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { type Given, probeHost, probePlan, probeRun } from './probe.ts'
import type { Proof } from './variables.ts'

const region = 'eu-central-1'
const id = 'AKIAEXAMPLE'
const own = { aws_access_key_id: id, aws_secret_access_key: 's', region }
const base = { 'profile base': own }
const assume = { role_arn: 'arn:aws:iam::444455556666:role/build', source_profile: 'base', region }
const web = { role_arn: assume.role_arn, web_identity_token_file: '/token', region }
const sso = { sso_account_id: '1', sso_role_name: 'Builder', sso_session: 'corp', region }
const session = { 'sso-session corp': { sso_start_url: 'https://corp.example/start', sso_region: 'us-west-2' } }
const inline = { ...session['sso-session corp'], sso_account_id: '1', sso_role_name: 'Builder', region }
const local = 'http://127.0.0.1:1'

const withDev = (dev: Record<string, string>, others = {}): Given => ({
  config: { ...base, ...session, ...others, 'profile dev': dev },
})
const expectSource = (dev: Record<string, string>, source: object) => async () => {
  expect((await probePlan(withDev(dev), 'dev')).source).toEqual(source)
}
const expectHost =
  (dev: Record<string, string>, host: string, others = {}) =>
  async () => {
    expect(await probeHost(withDev({ ...own, ...dev }, others), 'sts', 'dev')).toBe(host)
  }
const services = { 'services local': { sts: `\n  endpoint_url = ${local}` } }
const instance = { credential_source: 'Ec2InstanceMetadata', region }
const keysSource = { kind: 'keys', profile: 'dev', accessKeyId: id, secretAccessKey: new Secret('s') }
const roleSource = {
  kind: 'role',
  profile: 'dev',
  roleArn: assume.role_arn,
  region,
  durationSec: 3600,
  from: { ...keysSource, profile: 'base' },
}
const instanceSource = { kind: 'instance', profile: 'dev', endpoint: 'http://169.254.169.254' }
const ssoSource = {
  kind: 'sso',
  profile: 'dev',
  account: '1',
  role: 'Builder',
  startUrl: 'https://corp.example/start',
  region: 'us-west-2',
}

/** The outcome of a role that asks for a code. */
export const codeNeeded = failure(
  4,
  'profile "dev" needs a code from the MFA device arn:aws:iam::1:mfa/me, which this program never asks for',
  'use a profile that needs no code, such as one made with: aws configure sso',
)

/** By the name of the setting. */
export const settings: Readonly<Record<string, Proof>> = {
  aws_access_key_id: expectSource(own, keysSource),
  aws_secret_access_key: async () => {
    const run = await probeRun(withDev({ aws_access_key_id: id, region }), ['--profile', 'dev'])
    expect(toStableValue(run)).toEqual(
      failure(
        3,
        'profile "dev" has aws_access_key_id but no aws_secret_access_key',
        'correct line 11 of TEMPORARY/.aws/config',
      ),
    )
  },
  aws_session_token: async () => {
    const run = await probeRun(withDev({ ...own, aws_session_token: 't' }), ['--profile', 'dev'])
    expect(run).toEqual({
      accessKeyId: id,
      isTemporary: true,
      status: 0,
      stderr: '',
      host: 'bedrock.amazonaws.com',
      region: 'eu-central-1',
    })
  },
  aws_account_id: expectSource({ ...own, aws_account_id: '1' }, { ...keysSource, account: '1' }),
  region: async () => {
    expect(await probeRun(withDev(own), ['--profile', 'dev'])).toEqual({
      region,
      status: 0,
      stderr: '',
      host: 'bedrock.amazonaws.com',
      accessKeyId: 'AKIAEXAMPLE',
      isTemporary: false,
    })
  },
  ca_bundle: async () => {
    const { authority } = await probePlan(withDev({ ...own, ca_bundle: '/corp.pem' }), 'dev')
    expect(authority).toEqual({ path: '/corp.pem', origin: 'ca_bundle of profile "dev"' })
  },
  role_arn: expectSource(assume, roleSource),
  source_profile: expectSource(assume, roleSource),
  credential_source: expectSource(instance, instanceSource),
  external_id: expectSource({ ...assume, external_id: 'x' }, { ...roleSource, externalId: 'x' }),
  duration_seconds: expectSource({ ...assume, duration_seconds: '900' }, { ...roleSource, durationSec: 900 }),
  role_session_name: expectSource({ ...assume, role_session_name: 'alice' }, { ...roleSource, sessionName: 'alice' }),
  mfa_serial: async () => {
    const run = await probeRun(withDev({ ...assume, mfa_serial: 'arn:aws:iam::1:mfa/me' }), ['--profile', 'dev'])
    expect(run).toEqual(codeNeeded)
  },
  web_identity_token_file: expectSource(web, {
    kind: 'web-identity',
    profile: 'dev',
    roleArn: web.role_arn,
    region,
    tokenFile: '/token',
  }),
  credential_process: expectSource(
    { credential_process: '/bin/keys', region },
    { kind: 'process', profile: 'dev', command: '/bin/keys' },
  ),
  sso_session: expectSource(sso, { ...ssoSource, session: 'corp' }),
  sso_account_id: expectSource(sso, { ...ssoSource, session: 'corp' }),
  sso_role_name: expectSource(sso, { ...ssoSource, session: 'corp' }),
  sso_start_url: expectSource(inline, ssoSource),
  sso_region: expectSource(inline, ssoSource),
  sso_registration_scopes: async () => {
    const scoped = { ...session['sso-session corp'], sso_registration_scopes: 'sso:account:access, codewhisperer:all' }
    const { source } = await probePlan(withDev(sso, { 'sso-session corp': scoped }), 'dev')
    expect(source).toEqual({
      scopes: ['sso:account:access', 'codewhisperer:all'],
      kind: 'sso',
      profile: 'dev',
      session: 'corp',
      startUrl: 'https://corp.example/start',
      region: 'us-west-2',
      account: '1',
      role: 'Builder',
    })
  },
  login_session: expectSource(
    { login_session: 'arn:aws:iam::1:user/dev', region },
    { kind: 'login', profile: 'dev', session: 'arn:aws:iam::1:user/dev', region },
  ),
  endpoint_url: expectHost({ endpoint_url: local }, '127.0.0.1:1'),
  services: expectHost({ services: 'local', endpoint_url: 'https://x.example' }, '127.0.0.1:1', services),
  ignore_configured_endpoint_urls: expectHost(
    { endpoint_url: local, ignore_configured_endpoint_urls: 'true' },
    'sts.eu-central-1.amazonaws.com',
  ),
  use_fips_endpoint: expectHost({ use_fips_endpoint: 'true' }, 'sts-fips.eu-central-1.amazonaws.com'),
  use_dualstack_endpoint: expectHost({ use_dualstack_endpoint: 'true' }, 'sts.eu-central-1.api.aws'),
  sts_regional_endpoints: expectHost({ sts_regional_endpoints: 'legacy' }, 'sts.amazonaws.com'),
  ec2_metadata_service_endpoint: expectSource(
    { ...instance, ec2_metadata_service_endpoint: local },
    { ...instanceSource, endpoint: local },
  ),
  ec2_metadata_service_endpoint_mode: expectSource(
    { ...instance, ec2_metadata_service_endpoint_mode: 'IPv6' },
    { ...instanceSource, endpoint: 'http://[fd00:ec2::254]' },
  ),
  imds_use_ipv6: expectSource(
    { ...instance, imds_use_ipv6: 'true' },
    { ...instanceSource, endpoint: 'http://[fd00:ec2::254]' },
  ),
  ...Object.fromEntries(
    [
      ...['max_attempts', 'retry_mode', 'metadata_service_timeout', 'metadata_service_num_attempts', 'sdk_ua_app_id'],
      ...[
        'ec2_metadata_v1_disabled',
        'account_id_endpoint_mode',
        'auth_scheme_preference',
        'sigv4a_signing_region_set',
      ],
      ...['cli_auto_prompt', 'cli_binary_format', 'cli_error_format', 'cli_help_output', 'cli_history', 'cli_pager'],
      ...['cli_timestamp_format', 'data_path', 'disable_request_compression', 'endpoint_discovery_enabled', 'output'],
      ...['parameter_validation', 'request_checksum_calculation', 'request_min_compression_size_bytes'],
      ...['response_checksum_validation', 's3', 'tcp_keepalive'],
    ].map((name) => [name, 'changes nothing'] satisfies [string, Proof]),
  ),
}

/** Returns a run in which a setting of the default profile is set. */
export function withSetting(name: string): (value: string) => Given {
  return (value) => ({ config: { default: { ...own, [name]: value } } })
}
