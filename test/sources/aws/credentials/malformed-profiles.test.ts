import { expect, test } from 'vitest'
import { toHelperError } from '../../../../src/runtime/failure.ts'
import { planAwsCredentials } from '../../../../src/sources/aws/credentials/plan-credentials.ts'
import { testHost } from '../../../setup/test-host.ts'
import { writeAwsDirectory } from '../../../stand-ins/aws/aws-directory.ts'

const region = 'region = eu-central-1'
const arn = 'role_arn = arn:aws:iam::444455556666:role/build'
const key = 'aws_access_key_id = AKIAEXAMPLE'
const secret = 'aws_secret_access_key = canary'
const sso = 'sso_account_id = 111122223333\nsso_role_name = Builder'
const page = 'sso_start_url = https://corp.example/start'

interface Given {
  readonly config?: string
  readonly credentials?: string
  readonly env?: Record<string, string>
}

/** Kind, message and hint of what a plan fails with; `<config>` and `<credentials>` stand for the paths of the two files. */
async function fail({ env = {}, ...content }: Given, profile?: string): Promise<string[]> {
  const host = await testHost()
  const { environment, configPath, credentialsPath } = await writeAwsDirectory(host.home, content)
  const options = {
    profile,
    region: env.AWS_REGION,
    path: undefined,
    'watch-variable': [],
    watch: [],
    'aws-chain': 'auto',
  } as const
  const plan = planAwsCredentials({ ...host, env: { ...environment, ...env } }, options)
  const error = await plan.then(() => expect.fail('it was planned'), toHelperError)
  return [error.kind, error.message, error.hint].map((text) =>
    text.replaceAll(configPath, '<config>').replaceAll(credentialsPath, '<credentials>'),
  )
}

const malformed = 'not-configured'

test.each<[what: string, section: string, message: string, hint: string]>([
  [
    'a circle of profiles',
    `${arn}\nsource_profile = base\n[profile base]\n${arn}\nsource_profile = dev`,
    'profiles refer to each other in a circle: dev → base → dev',
    'correct line 6 of <config>',
  ],
  [
    'a profile that is its own source',
    `${arn}\nsource_profile = dev`,
    'profiles refer to each other in a circle: dev → dev',
    'correct line 3 of <config>',
  ],
  [
    'a missing source_profile',
    `${arn}\nsource_profile = base`,
    'profile "base", the source_profile of "dev", is neither in <config> nor in <credentials> (which does not exist)',
    'list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile base',
  ],
  [
    'a source_profile with half of a key',
    `${arn}\nsource_profile = base\n[profile base]\n${key}\nlogin_session = x`,
    'profile "base" has aws_access_key_id but no aws_secret_access_key',
    'correct line 5 of <config>',
  ],
  [
    'a role without a source',
    `${region}\n${arn}`,
    'profile "dev" has role_arn but neither source_profile, credential_source nor web_identity_token_file',
    'correct line 3 of <config>',
  ],
  [
    'a role with two sources',
    `${arn}\nsource_profile = base\ncredential_source = Environment`,
    'profile "dev" has both source_profile and credential_source',
    'correct line 4 of <config>',
  ],
  [
    'a malformed role',
    'role_arn = build\ncredential_source = Environment',
    'profile "dev": role_arn is not the ARN of a role',
    'correct line 2 of <config>',
  ],
  [
    'a credential_source that does not exist',
    `${arn}\ncredential_source = Ec2`,
    'profile "dev": credential_source is neither Environment, EcsContainer nor Ec2InstanceMetadata',
    'correct line 3 of <config>',
  ],
  [
    'a credential_source that this machine does not have',
    `${arn}\ncredential_source = Environment`,
    'profile "dev" takes its credentials from Environment, which is not there',
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where the client starts, or choose another credential_source',
  ],
  [
    'a malformed container',
    `${arn}\ncredential_source = EcsContainer`,
    'profile "dev" takes its credentials from EcsContainer, which is not there',
    'run this where AWS_CONTAINER_CREDENTIALS_FULL_URI is set, or choose another credential_source',
  ],
  [
    'an incomplete SSO profile',
    `${page}\nsso_role_name = Builder\n${region}`,
    'profile "dev" lacks sso_region, sso_account_id',
    'correct the section that begins in line 1 of <config>',
  ],
  [
    'an SSO session that is not there',
    `sso_session = corp\n${sso}\n${region}`,
    'profile "dev" names sso_session "corp", which has no [sso-session corp]',
    'correct line 2 of <config>',
  ],
  [
    'an SSO session that is incomplete',
    `sso_session = corp\n${sso}\n[sso-session corp]\n${page}`,
    '[sso-session corp] lacks sso_region',
    'correct the section that begins in line 5 of <config>',
  ],
  [
    'an SSO profile that is incomplete beside its session',
    `sso_session = corp\n[sso-session corp]\n${page}\nsso_region = us-east-1`,
    'profile "dev" lacks sso_account_id, sso_role_name',
    'correct the section that begins in line 1 of <config>',
  ],
  [
    'an SSO profile that contradicts its session',
    `sso_session = corp\n${sso}\nsso_region = us-east-2\n[sso-session corp]\n${page}\nsso_region = us-east-1`,
    'profile "dev" has another sso_region than its [sso-session corp] (line 8 of <config>)',
    'correct line 5 of <config>',
  ],
  [
    'an SSO region that would lead to another host',
    `sso_session = corp\n${sso}\n[sso-session corp]\n${page}\nsso_region = us-east-1/../`,
    'sso_region of [sso-session corp] is not the name of a region',
    'correct line 7 of <config>',
  ],
  [
    'a start page over plain http',
    `sso_start_url = http://corp.example\nsso_region = us-east-1\n${sso}`,
    'sso_start_url of profile "dev" is not an https address',
    'correct line 2 of <config>',
  ],
  [
    'a web identity without a role',
    `web_identity_token_file = /token\n${region}`,
    'profile "dev" has web_identity_token_file but no role_arn',
    'correct line 2 of <config>',
  ],
  [
    'a duration that is no number',
    `${arn}\nsource_profile = base\nduration_seconds = 1h`,
    'profile "dev": duration_seconds is not a whole number from 900 to 43200',
    'correct line 4 of <config>',
  ],
  [
    'a duration that AWS never grants',
    `${arn}\nsource_profile = base\nduration_seconds = 60`,
    'profile "dev": duration_seconds is not a whole number from 900 to 43200',
    'correct line 4 of <config>',
  ],
  [
    'a services section that is not there',
    `${key}\n${secret}\n${region}\nservices = local`,
    'profile "dev" names services "local", which has no [services local]',
    'correct line 5 of <config>',
  ],
  [
    'a switch that is neither on nor off',
    `${key}\n${secret}\n${region}\nuse_fips_endpoint = yes`,
    'use_fips_endpoint of profile "dev" is neither true nor false',
    'correct line 5 of <config>',
  ],
  [
    "a profile's region that would lead to another host",
    `${key}\n${secret}\nregion = us-east-1/../`,
    'the region of profile "dev" is not the name of a region',
    'correct line 4 of <config>',
  ],
  [
    'a console sign-in in a region that is none',
    'login_session = arn:aws:iam::1:user/dev\nregion = -eu-',
    'the region of profile "dev" is not the name of a region',
    'correct line 3 of <config>',
  ],
  [
    'a section that begins twice',
    `${key}\n[profile dev]\n${secret}`,
    '<config> is malformed: line 3 begins [profile dev] again, after line 1',
    'move what is below line 3 of <config> to line 1',
  ],
])('refuses %s', async (_, section, message, hint) => {
  expect(await fail({ config: `[profile dev]\n${section}\n` }, 'dev')).toEqual([malformed, message, hint])
})

test.each<[what: string, given: Given, message: string, hint: string]>([
  [
    'a heading without the word profile',
    { config: `[dev]\n${key}\n${secret}\n` },
    'line 1 of <config> begins [dev], which does not name a profile in that file',
    'write [profile dev] into line 1 of <config>',
  ],
  [
    'instance metadata that is switched off',
    {
      config: `[profile dev]\n${arn}\ncredential_source = Ec2InstanceMetadata\n`,
      env: { AWS_EC2_METADATA_DISABLED: 'true' },
    },
    'profile "dev" takes its credentials from Ec2InstanceMetadata, which AWS_EC2_METADATA_DISABLED switches off',
    'unset AWS_EC2_METADATA_DISABLED, or choose another credential_source',
  ],
  [
    'instance metadata in an unknown mode',
    {
      config: `[profile dev]\n${arn}\ncredential_source = Ec2InstanceMetadata\n`,
      env: { AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'both' },
    },
    'AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE is neither IPv4 nor IPv6',
    'correct or remove AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE',
  ],
  [
    'half of the keys, in the credentials file',
    { config: `[default]\n${region}\n`, credentials: `[dev]\n${region}\n${secret}\n` },
    'profile "dev" has aws_secret_access_key but no aws_access_key_id',
    'correct line 3 of <credentials>',
  ],
  [
    'no statement about credentials, in both files',
    { config: `[profile dev]\n${region}\n`, credentials: `\n[dev]\n${region}\n` },
    'profile "dev" says nothing about where credentials come from',
    'correct the section that begins in line 1 of <config> or in line 2 of <credentials>',
  ],
  [
    'a region of the environment that would lead to another host',
    { config: `[profile dev]\n${arn}\ncredential_source = EcsContainer\n`, env: { AWS_REGION: 'us-east-1/../' } },
    'the region in which profile "dev" assumes its role is not the name of a region',
    'set AWS_REGION to a region such as eu-central-1',
  ],
])('refuses %s', async (_, given, message, hint) => {
  expect(await fail(given, 'dev')).toEqual([malformed, message, hint])
})

test('refuses a role that needs a code', async () => {
  const role = `[profile dev]\n${arn}\n${region}\nsource_profile = base\nmfa_serial = arn:aws:iam::1:mfa/me\n`
  expect(await fail({ config: role }, 'dev')).toEqual([
    'sign-in-required',
    'profile "dev" needs a code from the MFA device arn:aws:iam::1:mfa/me, which this program never asks for',
    'use a profile that needs no code, such as one made with: aws configure sso',
  ])
})

test.each<[what: string, env: Record<string, string>, message: string]>([
  ['half of a key', { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE' }, 'AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not'],
  [
    'an identity token without a role',
    { AWS_WEB_IDENTITY_TOKEN_FILE: '/token' },
    'AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not',
  ],
])('in the environment, %s is refused', async (_, env, message) => {
  expect(await fail({ env })).toEqual([malformed, message, 'set both where the client starts, or neither'])
})

test('a secret without an id is not a key, as in the AWS CLI', async () => {
  const [kind, message] = await fail({ env: { AWS_SECRET_ACCESS_KEY: 'canary', AWS_REGION: 'eu-central-1' } })
  expect([kind, message]).toEqual([
    malformed,
    'no AWS identity is configured: no profile is named, <config> has no usable [default], and the environment has no keys',
  ])
})
