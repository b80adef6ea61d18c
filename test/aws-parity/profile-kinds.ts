import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeProgram } from '../helpers/aws-bedrock-token/credential-program.ts'
import { identityToken, issuer } from '../helpers/aws-bedrock-token/identity-token.ts'
import { inMinutes, signInToConsole, signInToSso } from '../helpers/aws-bedrock-token/sign-in.ts'
import { keysOf, role, user, type Workbench } from '../helpers/aws-bedrock-token/workbench.ts'

/** One kind of profile: how a desk comes to have it, and who its credentials are. */
interface ProfileKind {
  /** The ARN of the identity, of a role's session without the session's name; `undefined` where none is given. */
  readonly identity: string | undefined
  /** The first version of the AWS CLI that knows it. */
  readonly since?: readonly [number, number]
  /** Profile `dev` where the run names one. */
  prepare(bench: Workbench): Promise<{ readonly profile?: 'dev'; readonly env?: Record<string, string> }>
}

const region = 'eu-central-1'
const onHost = 'arn:aws:iam::111122223333:role/host'
const session = 'arn:aws:sts::444455556666:assumed-role/build'
const named = { profile: 'dev' } as const

function keysInEnvironment(bench: Workbench): Record<string, string> {
  const { aws_access_key_id: id = '', aws_secret_access_key: secret = '' } = keysOf(bench.aws)
  return { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret }
}

async function writeIdentityToken({ aws, home }: Workbench): Promise<string> {
  aws.addIdentityProvider({ issuer, audiences: ['sts.amazonaws.com'] })
  aws.addRole({ arn: role, trusts: [issuer] })
  const path = join(home, 'token')
  await writeFile(path, identityToken())
  return path
}

async function writeRole(bench: Workbench, settings: Record<string, string>, trusted = onHost): Promise<void> {
  bench.aws.addRole({ arn: role, trusts: [trusted] })
  await bench.write({ config: { 'profile dev': { role_arn: role, region, ...settings } } })
}

/** By the name of the row in docs/aws.md. */
export const profileKinds: Readonly<Record<string, ProfileKind>> = {
  'keys in the environment': {
    identity: user,
    prepare: async (bench) => ({ env: { ...keysInEnvironment(bench), AWS_REGION: region } }),
  },
  'keys in the credentials file': {
    identity: user,
    prepare: async (bench) => {
      const wrong = { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'canary' }
      await bench.write({ config: { 'profile dev': { region, ...wrong } }, credentials: { dev: keysOf(bench.aws) } })
      return named
    },
  },
  'keys in the configuration file': {
    identity: user,
    prepare: async (bench) => {
      await bench.write({ config: { default: { region, ...keysOf(bench.aws) } } })
      return {}
    },
  },
  'role over another profile': {
    identity: session,
    prepare: async (bench) => {
      const middle = 'arn:aws:iam::444455556666:role/middle'
      bench.aws.addRole({ arn: middle, trusts: [user] })
      bench.aws.addRole({ arn: role, trusts: [middle] })
      await bench.write({
        config: {
          'profile dev': { role_arn: role, source_profile: 'middle', region },
          'profile middle': { role_arn: middle, source_profile: 'base', region },
        },
        credentials: { base: keysOf(bench.aws) },
      })
      return named
    },
  },
  'role over the environment': {
    identity: session,
    prepare: async (bench) => {
      await writeRole(bench, { credential_source: 'Environment' }, user)
      return { ...named, env: keysInEnvironment(bench) }
    },
  },
  'role over the container': {
    identity: session,
    prepare: async (bench) => {
      await writeRole(bench, { credential_source: 'EcsContainer' })
      return { ...named, env: bench.aws.addContainerRole({ arn: onHost, authorizationToken: 'canary' }) }
    },
  },
  'role over the instance': {
    identity: session,
    prepare: async (bench) => {
      await writeRole(bench, { credential_source: 'Ec2InstanceMetadata' })
      bench.aws.addInstanceRole({ arn: onHost })
      return named
    },
  },
  'role with a code': {
    identity: undefined,
    prepare: async (bench) => {
      await writeRole(bench, { credential_source: 'Environment', mfa_serial: 'arn:aws:iam::1:mfa/me' })
      return { ...named, env: keysInEnvironment(bench) }
    },
  },
  'identity token of a profile': {
    identity: session,
    prepare: async (bench) => {
      const web_identity_token_file = await writeIdentityToken(bench)
      await bench.write({ config: { 'profile dev': { role_arn: role, web_identity_token_file, region } } })
      return named
    },
  },
  'identity token of the environment': {
    identity: session,
    prepare: async (bench) => {
      const AWS_WEB_IDENTITY_TOKEN_FILE = await writeIdentityToken(bench)
      return { env: { AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN: role, AWS_REGION: region } }
    },
  },
  program: {
    identity: user,
    prepare: async (bench) => {
      const { aws_access_key_id: AccessKeyId, aws_secret_access_key: SecretAccessKey } = keysOf(bench.aws)
      const document = JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey })
      const path = await writeProgram(join(bench.home, 'my tools', 'print-keys'), `echo '${document}'`)
      await bench.write({ config: { 'profile dev': { credential_process: `"${path}"`, region } } })
      return named
    },
  },
  'SSO session': {
    identity: 'arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Builder_0123456789abcdef',
    prepare: async (bench) => {
      await signInToSso(bench)
      return named
    },
  },
  'SSO, older form': {
    identity: 'arn:aws:sts::111122223333:assumed-role/AWSReservedSSO_Builder_0123456789abcdef',
    prepare: async (bench) => {
      const { configPath } = await signInToSso(bench)
      await writeFile(
        configPath,
        (await readFile(configPath, 'utf8'))
          .replace('[profile dev]', '[profile new]')
          .replace('[profile old]', '[profile dev]'),
      )
      return named
    },
  },
  'console sign-in': {
    identity: user,
    since: [2, 32],
    prepare: async (bench) => {
      await signInToConsole(bench, user, inMinutes(60))
      return named
    },
  },
  container: {
    identity: 'arn:aws:sts::111122223333:assumed-role/host',
    prepare: async (bench) => ({
      env: { ...bench.aws.addContainerRole({ arn: onHost, authorizationToken: 'canary' }), AWS_REGION: region },
    }),
  },
  instance: {
    identity: 'arn:aws:sts::111122223333:assumed-role/host',
    prepare: async (bench) => {
      await bench.write({ config: { default: { region } } })
      bench.aws.addInstanceRole({ arn: onHost })
      return {}
    },
  },
}
