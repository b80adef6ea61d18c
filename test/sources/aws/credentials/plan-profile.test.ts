import { expect, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { AwsCredentialSource } from '../../../../src/sources/aws/credentials/credential-source.ts'
import { planProfile } from '../../../../src/sources/aws/credentials/plan-profile.ts'
import type { AwsFiles, Section } from '../../../../src/sources/aws/files/aws-files.ts'

const roleArn = 'arn:aws:iam::444455556666:role/build'
const assume = { role_arn: roleArn }
const keys = { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 's' }
const web = { web_identity_token_file: '/token' }
const process = { credential_process: '/bin/keys' }
const sso = { sso_session: 'corp', sso_account_id: '1', sso_role_name: 'Builder' }
const login = { login_session: 'arn:aws:iam::1:user/dev' }
const container = { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1/credentials' }

/** The keys above, as they are planned. */
const plannedKeys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: expect.any(Secret) }
const assumed = (region: string, from: object) => ({
  kind: 'role',
  profile: 'dev',
  roleArn,
  durationSec: 3600,
  region,
  from,
})

function plan(profiles: Record<string, Section>, env: Record<string, string> = {}): AwsCredentialSource {
  const files: AwsFiles = {
    configPath: '/config',
    credentialsPath: '/credentials',
    missing: [],
    isCustomPath: false,
    lines: [[], []],
    profiles,
    profilePaths: {},
    services: {},
    ssoSessions: { corp: { sso_start_url: 'https://corp.example', sso_region: 'us-west-2' } },
  }
  return planProfile('dev', { files, env, region: 'eu-central-1' })
}

test.each<[what: string, section: Section, kind: AwsCredentialSource['kind']]>([
  ['keys', keys, 'keys'],
  ['a role with a source_profile', { ...assume, source_profile: 'base' }, 'role'],
  ['a role with a credential_source', { ...assume, credential_source: 'EcsContainer' }, 'role'],
  ['a role with an identity token', { ...assume, ...web }, 'web-identity'],
  ['a program', process, 'process'],
  ['an SSO session', sso, 'sso'],
  ['a console sign-in', login, 'login'],
  ['a credential_source alone', { credential_source: 'Ec2InstanceMetadata' }, 'instance'],
])('%s is a kind of profile', (_, section, kind) => {
  expect(plan({ dev: section, base: keys }, container).kind).toBe(kind)
})

// The order of the SDK for JavaScript, as its published code has it.
test.each<[what: string, section: Section, kind: AwsCredentialSource['kind']]>([
  ['a role before keys', { ...assume, source_profile: 'base', ...keys }, 'role'],
  ['a role with a source before an identity token', { ...assume, source_profile: 'base', ...web }, 'role'],
  ['keys before an identity token', { ...assume, ...web, ...keys }, 'keys'],
  ['an identity token before a program', { ...assume, ...web, ...process }, 'web-identity'],
  ['a program before SSO', { ...process, ...sso }, 'process'],
  ['SSO before a console sign-in', { ...sso, ...login }, 'sso'],
])('where a profile names several sources, %s', (_, section, kind) => {
  expect(plan({ dev: section, base: keys }).kind).toBe(kind)
})

test('a chain is planned to its end, each role in its own region', () => {
  const source = plan({
    dev: { ...assume, source_profile: 'middle', external_id: 'x', role_session_name: 'alice', duration_seconds: '900' },
    middle: { role_arn: `${roleArn}2`, source_profile: 'base', region: 'us-east-1' },
    base: { ...keys, aws_session_token: 't', aws_account_id: '1' },
  })
  expect(source).toEqual({
    kind: 'role',
    profile: 'dev',
    roleArn,
    region: 'eu-central-1',
    sessionName: 'alice',
    externalId: 'x',
    durationSec: 900,
    from: {
      kind: 'role',
      profile: 'middle',
      roleArn: `${roleArn}2`,
      region: 'us-east-1',
      sessionName: undefined,
      externalId: undefined,
      durationSec: 3600,
      from: {
        kind: 'keys',
        profile: 'base',
        accessKeyId: 'AKIAEXAMPLE',
        secretAccessKey: expect.anything(),
        sessionToken: expect.anything(),
        account: '1',
      },
    },
  })
})

test('a source_profile that has keys is used for its keys, with any other settings', () => {
  const base = { ...keys, ...assume, source_profile: 'dev' }
  expect(plan({ dev: { ...assume, source_profile: 'base' }, base })).toEqual(
    assumed('eu-central-1', { kind: 'keys', profile: 'base', ...plannedKeys }),
  )
})

test('a profile that names itself is used for its own keys', () => {
  expect(plan({ dev: { ...assume, ...keys, source_profile: 'dev' } })).toEqual(
    assumed('eu-central-1', { kind: 'keys', profile: 'dev', ...plannedKeys }),
  )
})

test.each<[what: string, profiles: Record<string, Section>, circle: string]>([
  [
    'two profiles, one with keys',
    { dev: { ...assume, ...keys, source_profile: 'base' }, base: { ...assume, source_profile: 'dev' } },
    'dev → base → dev',
  ],
  ['a profile that names itself without keys', { dev: { ...assume, source_profile: 'dev' } }, 'dev → dev'],
])('a circle of profiles is refused: %s', (_, profiles, circle) => {
  expect(() => plan(profiles)).toThrow(
    new HelperError('not-configured', `profiles refer to each other in a circle: ${circle}`, 'correct it in /config'),
  )
})

// The order of the AWS tools.
const AWS_REGION = 'us-west-2'
const AWS_DEFAULT_REGION = 'ap-south-1'
const own = { region: 'eu-west-1' }
test.each<[what: string, env: Record<string, string>, section: Section, region: string]>([
  ['AWS_REGION', { AWS_REGION, AWS_DEFAULT_REGION }, own, 'us-west-2'],
  ['AWS_DEFAULT_REGION', { AWS_REGION: '', AWS_DEFAULT_REGION }, own, 'ap-south-1'],
  ['the profile', {}, own, 'eu-west-1'],
  ['what else is known', {}, {}, 'eu-central-1'],
])('a role is assumed in the region of %s, before those that follow', (_, env, section, region) => {
  const role = { ...assume, ...section }
  expect(plan({ dev: { ...role, source_profile: 'base' }, base: keys }, env)).toEqual(
    assumed(region, { kind: 'keys', profile: 'base', ...plannedKeys }),
  )
  expect(plan({ dev: { ...role, ...web } }, env)).toEqual({
    kind: 'web-identity',
    profile: 'dev',
    roleArn,
    tokenFile: '/token',
    region,
  })
})

test('a text that would lead to another host is not accepted as the region of a role', () => {
  expect(() => plan({ dev: { ...assume, source_profile: 'base' }, base: keys }, { AWS_REGION: 'x.example/' })).toThrow(
    new HelperError(
      'not-configured',
      'the region in which profile "dev" assumes its role is not the name of a region',
      'set AWS_REGION to a region such as eu-central-1',
    ),
  )
})

test('an SSO session has its own region and start page', () => {
  expect(plan({ dev: { ...sso, region: 'eu-west-1' } })).toEqual({
    kind: 'sso',
    profile: 'dev',
    session: 'corp',
    startUrl: 'https://corp.example',
    region: 'us-west-2',
    account: '1',
    role: 'Builder',
  })
})

test('a console sign-in is renewed in the region of its profile', () => {
  expect(plan({ dev: { ...login, region: 'eu-west-1' } })).toEqual({
    kind: 'login',
    profile: 'dev',
    session: 'arn:aws:iam::1:user/dev',
    region: 'eu-west-1',
  })
  expect(plan({ dev: login })).toEqual({
    kind: 'login',
    profile: 'dev',
    session: 'arn:aws:iam::1:user/dev',
    region: 'eu-central-1',
  })
})

test.each<[source: string, env: Record<string, string>, expected: object]>([
  [
    'Environment',
    { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 's' },
    { kind: 'environment', ...plannedKeys },
  ],
  [
    'EcsContainer',
    container,
    { kind: 'container', profile: 'dev', endpoint: container.AWS_CONTAINER_CREDENTIALS_FULL_URI },
  ],
  [
    'EcsContainer',
    { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2' },
    { kind: 'container', profile: 'dev', endpoint: 'http://169.254.170.2/v2' },
  ],
  ['Ec2InstanceMetadata', {}, { kind: 'instance', profile: 'dev', endpoint: 'http://169.254.169.254' }],
  [
    'Ec2InstanceMetadata',
    { AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'IPv6' },
    { kind: 'instance', profile: 'dev', endpoint: 'http://[fd00:ec2::254]' },
  ],
])('credential_source %s is found in the environment', (credential_source, env, expected) => {
  expect(plan({ dev: { ...assume, credential_source } }, env)).toEqual(assumed('eu-central-1', expected))
})

test.each(['constructor', 'toString', '__proto__'])('a name that every object has (%s) is not a profile', (name) => {
  expect(() => plan({ dev: { ...assume, source_profile: name } })).toThrow(
    new HelperError(
      'not-configured',
      `profile "${name}", the source_profile of "dev", is neither in /config nor in /credentials`,
      `list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile ${name}`,
    ),
  )
})
