import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AwsDirectoryContent } from '../../stand-ins/aws/aws-directory.ts'
import { failure, role, startWorkbench } from './workbench.ts'

const region = 'eu-central-1'
const assume = { role_arn: role, region }

/** `<config>` and `<credentials>` stand for the paths of the two files. */
const cases: readonly [what: string, AwsDirectoryContent, status: number, message: string, hint: string][] = [
  [
    'a role that needs a code',
    { config: { 'profile dev': { ...assume, source_profile: 'base', mfa_serial: 'arn:aws:iam::1:mfa/me' } } },
    4,
    'profile "dev" needs a code from the MFA device arn:aws:iam::1:mfa/me, which this program never asks for',
    'use a profile that needs no code, such as one made with: aws configure sso',
  ],
  [
    'a circle of profiles',
    {
      config: {
        'profile dev': { ...assume, source_profile: 'base' },
        'profile base': { ...assume, source_profile: 'dev' },
      },
    },
    3,
    'profiles refer to each other in a circle: dev → base → dev',
    'correct it in <config>',
  ],
  [
    'a profile that is its own source',
    { config: { 'profile dev': { ...assume, source_profile: 'dev' } } },
    3,
    'profiles refer to each other in a circle: dev → dev',
    'correct it in <config>',
  ],
  [
    'a source_profile that is not there',
    { config: { 'profile dev': { ...assume, source_profile: 'base' } } },
    3,
    'profile "base", the source_profile of "dev", is neither in <config> nor in <credentials> (which does not exist)',
    'list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile base',
  ],
  [
    'a role without a source',
    { config: { 'profile dev': assume } },
    3,
    'profile "dev" has role_arn but neither source_profile, credential_source nor web_identity_token_file',
    'correct it in <config>',
  ],
  [
    'a role with two sources',
    { config: { 'profile dev': { ...assume, source_profile: 'base', credential_source: 'Environment' } } },
    3,
    'profile "dev" has both source_profile and credential_source',
    'correct it in <config>',
  ],
  [
    'a credential_source that does not exist',
    { config: { 'profile dev': { ...assume, credential_source: 'Ec2' } } },
    3,
    'profile "dev": credential_source is none of Environment, EcsContainer, Ec2InstanceMetadata',
    'correct it in <config>',
  ],
  [
    'a credential_source that this machine does not have',
    { config: { 'profile dev': { ...assume, credential_source: 'Environment' } } },
    3,
    'profile "dev" takes its credentials from Environment, which is not there',
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY where the client starts, or choose another credential_source',
  ],
  [
    'a container that is none',
    { config: { 'profile dev': { ...assume, credential_source: 'EcsContainer' } } },
    3,
    'profile "dev" takes its credentials from EcsContainer, which is not there',
    'run this where AWS_CONTAINER_CREDENTIALS_FULL_URI is set, or choose another credential_source',
  ],
  [
    'half of the keys, in the credentials file',
    { config: { default: { region } }, credentials: { dev: { region, aws_secret_access_key: 'canary' } } },
    3,
    'profile "dev" has aws_secret_access_key but no aws_access_key_id',
    'correct it in <credentials>',
  ],
  [
    'no statement about credentials, in both files',
    { config: { 'profile dev': { region } }, credentials: { dev: { region } } },
    3,
    'profile "dev" says nothing about where credentials come from',
    'correct it in <config> or <credentials>',
  ],
  [
    'an incomplete SSO profile',
    { config: { 'profile dev': { sso_start_url: 'https://x.example', sso_role_name: 'Builder', region } } },
    3,
    'profile "dev" lacks sso_region, sso_account_id',
    'correct it in <config>',
  ],
  [
    'an SSO session that is not there',
    { config: { 'profile dev': { sso_session: 'corp', sso_account_id: '1', sso_role_name: 'Builder', region } } },
    3,
    'profile "dev" names sso_session "corp", which has no [sso-session corp]',
    'correct it in <config>',
  ],
  [
    'a web identity without a role',
    { config: { 'profile dev': { web_identity_token_file: '/token', region } } },
    3,
    'profile "dev" has web_identity_token_file but no role_arn',
    'correct it in <config>',
  ],
  [
    'a duration that is no number',
    { config: { 'profile dev': { ...assume, source_profile: 'base', duration_seconds: '1h' } } },
    3,
    'profile "dev": duration_seconds is not a whole number',
    'correct it in <config>',
  ],
]

test.each(cases)('%s', async (_, content, status, message, hint) => {
  await using bench = await startWorkbench(content)
  const fill = (text: string) =>
    text.replace(/<(config|credentials)>/g, (_, file: string) => join(bench.home, '.aws', file))
  expect(await bench.run({ argv: ['--profile', 'dev'] })).toEqual(failure(status, fill(message), fill(hint)))
  expect(bench.asked()).toEqual([])
})
