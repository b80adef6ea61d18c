import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fails } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { readToken } from './read-token.ts'
import { signInToSso } from './sign-in.ts'
import { failure, keysOf, role, startWorkbench, type Workbench } from './workbench.ts'

const region = 'eu-central-1'
const onHost = 'arn:aws:iam::999999999999:role/host'

/** Returns every other identity that a machine can offer, all of them working. */
function offerEverythingElse({ aws }: Workbench): Record<string, string> {
  const { aws_access_key_id = '', aws_secret_access_key = '' } = keysOf(aws)
  aws.addInstanceRole({ arn: onHost })
  return {
    AWS_ACCESS_KEY_ID: aws_access_key_id,
    AWS_SECRET_ACCESS_KEY: aws_secret_access_key,
    ...aws.addContainerRole({ arn: onHost }),
  }
}

test.each([
  [
    'is missing',
    { region },
    'nope',
    3,
    'profile "nope" is neither in HOME/.aws/config nor in HOME/.aws/credentials (which does not exist)',
    'list the profiles with: aws configure list-profiles; or create it with: aws configure sso --profile nope',
  ],
  [
    'says nothing about credentials',
    { region },
    'dev',
    3,
    'profile "dev" says nothing about where credentials come from',
    'correct the section that begins in line 1 of HOME/.aws/config',
  ],
  [
    'has half of its keys',
    { region, aws_access_key_id: 'AKIAEXAMPLE' },
    'dev',
    3,
    'profile "dev" has aws_access_key_id but no aws_secret_access_key',
    'correct line 3 of HOME/.aws/config',
  ],
  [
    'runs a program that is not there',
    { region, credential_process: '/nope/nope' },
    'dev',
    3,
    'the credential_process of profile "dev" was not found (/nope/nope), or a program that it runs was not',
    'write the absolute path of the program into the profile, or set --path to the directories to look in',
  ],
  [
    'assumes a role that is refused',
    { region, role_arn: role, credential_source: 'Environment' },
    'dev',
    5,
    `AWS STS refused the role ${role} of profile "dev": AccessDenied`,
    `have the trust policy of ${role} and the policies of this identity allow sts:AssumeRole, or correct role_arn`,
  ],
  [
    'needs a code from a device',
    { region, role_arn: role, source_profile: 'base', mfa_serial: 'arn:mfa' },
    'dev',
    4,
    'profile "dev" needs a code from the MFA device arn:mfa, which this program never asks for',
    'use a profile that needs no code, such as one made with: aws configure sso',
  ],
])('with a named profile that %s nothing else is tried', async (_, section, profile, status, message, hint) => {
  await using bench = await startWorkbench({ config: { 'profile dev': section } })
  const env = { ...offerEverythingElse(bench), AWS_PROFILE: profile }
  expect(toStableValue(await bench.run({ env }), { [bench.home]: 'HOME' })).toEqual(
    fails('aws-bedrock-token', status, message, hint),
  )
  expect(bench.asked().filter((operation) => operation !== 'AssumeRole')).toEqual([])
})

test('with a named profile whose sign-in has expired nothing else is tried', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench, { expiresAt: new Date(0) })
  const env = { ...offerEverythingElse(bench), AWS_PROFILE: 'dev' }
  expect({ outcome: await bench.run({ env }), asked: bench.asked() }).toEqual({
    outcome: failure(
      4,
      'the SSO session "corp" expired at 1970-01-01T00:00:00.000Z',
      'start a new session, which lets a person sign in, or run: aws-bedrock-token sign-in',
    ),
    asked: [],
  })
})

test('with a profile named, the keys in the environment are not used', async () => {
  await using bench = await startWorkbench()
  const keys = keysOf(bench.aws)
  await bench.write({ credentials: { dev: keys } })
  const env = { ...offerEverythingElse(bench), AWS_REGION: region }
  const { accessKeyId } = readToken(await bench.run({ env, argv: ['--profile', 'dev'] }))
  expect(accessKeyId).toBe(keys.aws_access_key_id)
})

test('with no profile named, the keys in the environment come first', async () => {
  await using bench = await startWorkbench()
  await bench.write({ config: { default: { region, ...keysOf(bench.aws) } } })
  const env = offerEverythingElse(bench)
  expect(readToken(await bench.run({ env })).accessKeyId).toBe(env.AWS_ACCESS_KEY_ID)
  expect(bench.asked()).toEqual([])
})

test('with no profile named, nothing is tried after a broken "default"', async () => {
  await using bench = await startWorkbench({ config: { default: { region, aws_access_key_id: 'AKIAEXAMPLE' } } })
  const { AWS_ACCESS_KEY_ID: _, ...env } = offerEverythingElse(bench)
  expect(await bench.run({ env })).toEqual(
    failure(
      3,
      'profile "default" has aws_access_key_id but no aws_secret_access_key',
      `correct line 3 of ${join(bench.home, '.aws', 'config')}`,
    ),
  )
})

test('on a machine where nothing is configured, instance metadata is not waited for', async () => {
  await using bench = await startWorkbench()
  const env = { AWS_EC2_METADATA_SERVICE_ENDPOINT: undefined, AWS_REGION: region }
  expect(await bench.run({ env, argv: ['--client-timeout', '20'] })).toEqual(
    failure(
      3,
      `no AWS identity is configured: no profile is named, ${join(bench.home, '.aws', 'config')} has no usable [default], and the environment has no keys`,
      'name a profile with --profile or AWS_PROFILE; list the profiles with: aws configure list-profiles',
    ),
  )
})

test('a missing identity is reported before a missing region', async () => {
  await using bench = await startWorkbench()
  const { stderr } = await bench.run({ env: { AWS_EC2_METADATA_DISABLED: 'true' } })
  expect(stderr).toBe(
    [
      `aws-bedrock-token: no AWS identity is configured: no profile is named, ${bench.home}/.aws/config has no usable [default], and the environment has no keys`,
      'aws-bedrock-token: hint: name a profile with --profile or AWS_PROFILE; list the profiles with: aws configure list-profiles',
      '',
    ].join('\n'),
  )
})
