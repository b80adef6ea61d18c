import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { writeProgram } from '../helpers/aws-bedrock-token/credential-program.ts'
import { identityToken, issuer } from '../helpers/aws-bedrock-token/identity-token.ts'
import { readToken } from '../helpers/aws-bedrock-token/read-token.ts'
import { inMinutes, signInToConsole, signInToSso } from '../helpers/aws-bedrock-token/sign-in.ts'
import { keysOf, role, startWorkbench, user, type Workbench } from '../helpers/aws-bedrock-token/workbench.ts'
import type { AccessKey } from '../stand-ins/aws/aws-identities.ts'
import { startAwsByName } from './start-aws-by-name.ts'

const region = 'eu-central-1'
const other = 'arn:aws:iam::111122223333:user/other'
const onHost = 'arn:aws:iam::111122223333:role/host'
const middle = 'arn:aws:iam::444455556666:role/middle'
const hostSession = 'arn:aws:sts::111122223333:assumed-role/host'
const session = 'arn:aws:sts::444455556666:assumed-role/build'

type Settings = Record<string, string>

/** The variables of a desk, and the profile that is named: `dev` by default. */
interface Desk {
  readonly profile?: 'dev' | 'default'
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** The owner of the credentials, without the name of a role's session, or the status of the failure; one for each chain where they differ. */
type Found = string | { readonly own: string; readonly sdk: string }

/** A combination of settings. */
type Case = readonly [what: string, found: Found, prepare: (bench: Workbench) => Promise<Desk>]

const inFile = (settings: Settings, profiles: Record<string, Settings> = {}) => ({
  config: Object.fromEntries([
    ['profile dev', { region, ...settings }],
    ...Object.entries(profiles).map(([name, each]) => [`profile ${name}`, each] as const),
  ]),
})

const toVariables = ({ aws_access_key_id: id = '', aws_secret_access_key: secret = '' }: Settings) => ({
  AWS_ACCESS_KEY_ID: id,
  AWS_SECRET_ACCESS_KEY: secret,
  AWS_REGION: region,
})

async function writeIdentityToken({ aws, home }: Workbench, arn = role): Promise<string> {
  aws.addIdentityProvider({ issuer, audiences: ['sts.amazonaws.com'] })
  aws.addRole({ arn, trusts: [issuer] })
  const path = join(home, 'token')
  await writeFile(path, identityToken())
  return path
}

/** Profile `dev` is a role that somebody may assume, by these settings. */
async function writeRole(
  bench: Workbench,
  trusts: readonly string[],
  ...files: Parameters<typeof inFile>
): Promise<Desk> {
  bench.aws.addRole({ arn: role, trusts: [...trusts] })
  const [settings, profiles] = files
  await bench.write(inFile({ role_arn: role, ...settings }, profiles))
  return {}
}

async function writeProfile(bench: Workbench, ...files: Parameters<typeof inFile>): Promise<Desk> {
  await bench.write(inFile(...files))
  return {}
}

/** Appends to the configuration of a person who is signed in. */
async function addRoleOver(bench: Workbench, path: string, trusted: string): Promise<Desk> {
  bench.aws.addRole({ arn: role, trusts: [trusted] })
  const text = (await readFile(path, 'utf8')).replace('[profile dev]', '[profile person]')
  await writeFile(path, `${text}\n[profile dev]\nrole_arn = ${role}\nsource_profile = person\nregion = ${region}\n`)
  return {}
}

async function writeProcess(bench: Workbench, script: string): Promise<Desk> {
  const path = await writeProgram(join(bench.home, 'print-keys'), script)
  return writeProfile(bench, { credential_process: `"${path}"` })
}

const printed = (settings: Settings, more: object = {}) => {
  const { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey } = toVariables(settings)
  return `echo '${JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey, ...more })}'`
}

/** Writes an address of AWS STS that is set somewhere; AWS's own host cannot be reached. */
async function writeEndpoint(bench: Workbench, settings: Settings, more: string, env: Settings = {}): Promise<Desk> {
  bench.aws.addRole({ arn: role, trusts: [user] })
  const { configPath } = await bench.write({
    ...inFile({ role_arn: role, source_profile: 'base', ...settings }),
    credentials: { base: keysOf(bench.aws) },
  })
  await writeFile(configPath, `${await readFile(configPath, 'utf8')}\n${more}`)
  return { env: { ...env, HTTPS_PROXY: 'http://127.0.0.1:9' } }
}

/** The order in which places are looked at. */
const orders: readonly Case[] = [
  [
    'variables that are empty count for nothing',
    user,
    async (bench) => {
      await bench.write({ config: { default: { region, ...keysOf(bench.aws) } } })
      return { profile: 'default', env: { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_SESSION_TOKEN: '' } }
    },
  ],
  [
    'keys of the environment come before the default profile',
    other,
    async (bench) => {
      await bench.write({ config: { default: { region, ...keysOf(bench.aws) } } })
      return { profile: 'default', env: toVariables(keysOf(bench.aws, other)) }
    },
  ],
  [
    'a profile that is named comes before keys of the environment',
    user,
    async (bench) => {
      await writeProfile(bench, keysOf(bench.aws))
      return { env: toVariables(keysOf(bench.aws, other)) }
    },
  ],
  [
    'AWS_PROFILE names a profile',
    user,
    async (bench) => {
      await writeProfile(bench, keysOf(bench.aws))
      return { profile: 'default', env: { AWS_PROFILE: 'dev' } }
    },
  ],
  [
    'keys of the default profile come before an identity token of the environment',
    user,
    async (bench) => {
      const AWS_WEB_IDENTITY_TOKEN_FILE = await writeIdentityToken(bench)
      await bench.write({ config: { default: { region, ...keysOf(bench.aws) } } })
      return { profile: 'default', env: { AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN: role } }
    },
  ],
  [
    'a container comes before the instance',
    hostSession,
    async (bench) => {
      bench.aws.addInstanceRole({ arn: middle })
      return { profile: 'default', env: { ...bench.aws.addContainerRole({ arn: onHost }), AWS_REGION: region } }
    },
  ],
  [
    'a default profile that only has settings leaves it to the container',
    hostSession,
    async (bench) => {
      await bench.write({ config: { default: { region, output: 'json' } } })
      return { profile: 'default', env: bench.aws.addContainerRole({ arn: onHost }) }
    },
  ],
]

/** Chains of roles, and what they begin with. */
const chains: readonly Case[] = [
  [
    'a container whose token is in a file',
    hostSession,
    async ({ aws, home }) => {
      const AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = join(home, 'pod-token')
      await writeFile(AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, 'canary-pod')
      const { AWS_CONTAINER_CREDENTIALS_FULL_URI } = aws.addContainerRole({
        arn: onHost,
        authorizationToken: 'canary-pod',
      })
      const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, AWS_REGION: region }
      return { profile: 'default', env }
    },
  ],
  [
    'a role over an SSO session',
    session,
    async (bench) => {
      const { configPath } = await signInToSso(bench)
      return addRoleOver(bench, configPath, 'arn:aws:iam::111122223333:role/AWSReservedSSO_Builder_0123456789abcdef')
    },
  ],
  [
    'a role over a console sign-in',
    session,
    async (bench) => addRoleOver(bench, (await signInToConsole(bench, user, inMinutes(60))).configPath, user),
  ],
  [
    'a role over an identity token',
    session,
    async (bench) => {
      const web_identity_token_file = await writeIdentityToken(bench, middle)
      const source = { role_arn: middle, web_identity_token_file, role_session_name: 'pod' }
      return writeRole(bench, [middle], { source_profile: 'pod' }, { pod: source })
    },
  ],
  [
    'a role over a program',
    session,
    async (bench) => {
      const path = await writeProgram(join(bench.home, 'print-keys'), printed(keysOf(bench.aws)))
      return writeRole(bench, [user], { source_profile: 'vault' }, { vault: { credential_process: `"${path}"` } })
    },
  ],
  [
    'a role over its own keys',
    session,
    async (bench) => writeRole(bench, [user], { source_profile: 'dev', ...keysOf(bench.aws) }),
  ],
  [
    'keys beside a role and its source_profile count for nothing',
    session,
    async (bench) => {
      const own = { source_profile: 'base', ...keysOf(bench.aws, other) }
      return writeRole(bench, [user], own, { base: keysOf(bench.aws) })
    },
  ],
  [
    'keys of a source_profile count, and not the role beside them',
    session,
    async (bench) => {
      const base = { role_arn: middle, source_profile: 'unused', ...keysOf(bench.aws) }
      return writeRole(bench, [user], { source_profile: 'base' }, { base, unused: keysOf(bench.aws, other) })
    },
  ],
  [
    'a session with a name and an external id',
    session,
    async (bench) => {
      const own = { source_profile: 'base', role_session_name: 'desk', external_id: 'ticket-1' }
      return writeRole(bench, [user], own, { base: keysOf(bench.aws) })
    },
  ],
  [
    'AWS STS at the address of its variable',
    session,
    (bench) => writeEndpoint(bench, {}, '', { AWS_ENDPOINT_URL_STS: bench.aws.url }),
  ],
  [
    'AWS STS at the address of all services by variable',
    session,
    (bench) => writeEndpoint(bench, {}, '', { AWS_ENDPOINT_URL: bench.aws.url }),
  ],
  [
    'AWS STS at the address of the profile',
    session,
    (bench) => writeEndpoint(bench, { endpoint_url: bench.aws.url }, ''),
  ],
  [
    'AWS STS at its address in a section of services',
    session,
    (bench) => writeEndpoint(bench, { services: 'own' }, `[services own]\nsts =\n  endpoint_url = ${bench.aws.url}\n`),
  ],
]

const notConfigured = 'status 3'
const signInRequired = 'status 4'
const refused = 'status 5'
// The SDK does not say why it has no credentials of an instance: then they count as not configured.
const refusedOrUnknown = { own: refused, sdk: notConfigured }

/** Configurations that give nobody credentials. */
const refusals: readonly Case[] = [
  [
    'a profile that is not there',
    notConfigured,
    (bench) => bench.write({ config: { default: { region } } }).then(() => ({})),
  ],
  ['a profile that only has settings', notConfigured, (bench) => writeProfile(bench, { output: 'json' })],
  ['a role without a source', notConfigured, (bench) => writeRole(bench, [user], {})],
  [
    'a role with two sources',
    notConfigured,
    async (bench) => {
      const own = { source_profile: 'base', credential_source: 'Environment' }
      await writeRole(bench, [user, other], own, { base: keysOf(bench.aws) })
      return { env: toVariables(keysOf(bench.aws, other)) }
    },
  ],
  [
    'a role over a profile that is not there',
    notConfigured,
    (bench) => writeRole(bench, [user], { source_profile: 'base' }),
  ],
  [
    'a role over a profile that only has settings',
    notConfigured,
    (bench) => writeRole(bench, [user], { source_profile: 'base' }, { base: { output: 'json' } }),
  ],
  [
    'a role over keys without their secret',
    notConfigured,
    (bench) => writeRole(bench, [user], { source_profile: 'base' }, { base: { aws_access_key_id: 'AKIAEXAMPLE' } }),
  ],
  [
    'a role over a secret without its key',
    notConfigured,
    (bench) => writeRole(bench, [user], { source_profile: 'base' }, { base: { aws_secret_access_key: 'canary' } }),
  ],
  [
    'a circle of roles',
    notConfigured,
    (bench) =>
      writeRole(bench, [user], { source_profile: 'other' }, { other: { role_arn: middle, source_profile: 'dev' } }),
  ],
  [
    'an identity token without a role',
    notConfigured,
    async (bench) => writeProfile(bench, { web_identity_token_file: await writeIdentityToken(bench) }),
  ],
  [
    'an identity token that is none',
    refused,
    async (bench) => {
      const web_identity_token_file = await writeIdentityToken(bench)
      await writeFile(web_identity_token_file, 'canary')
      return writeProfile(bench, { role_arn: role, web_identity_token_file })
    },
  ],
  [
    'an identity token whose file is missing',
    notConfigured,
    (bench) => writeProfile(bench, { role_arn: role, web_identity_token_file: join(bench.home, 'missing') }),
  ],
  [
    'a container whose token file is missing',
    notConfigured,
    async ({ aws, home }) => {
      const AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = join(home, 'missing')
      const { AWS_CONTAINER_CREDENTIALS_FULL_URI } = aws.addContainerRole({ arn: onHost })
      const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, AWS_REGION: region }
      return { profile: 'default', env }
    },
  ],
  [
    'an instance whose metadata service is switched off',
    notConfigured,
    async (bench) => {
      bench.aws.addInstanceRole({ arn: onHost })
      return { profile: 'default', env: { AWS_EC2_METADATA_DISABLED: 'true', AWS_REGION: region } }
    },
  ],
  ['an instance without a role', refusedOrUnknown, async () => ({ profile: 'default', env: { AWS_REGION: region } })],
  [
    'an SSO profile without an account',
    notConfigured,
    (bench) =>
      writeProfile(bench, {
        sso_start_url: 'https://corp.awsapps.example/start',
        sso_region: 'us-west-2',
        sso_role_name: 'Builder',
      }),
  ],
  [
    'an SSO profile of somebody who never signed in',
    signInRequired,
    (bench) =>
      writeProfile(bench, {
        sso_start_url: 'https://corp.awsapps.example/start',
        sso_region: 'us-west-2',
        sso_role_name: 'Builder',
        sso_account_id: '111122223333',
      }),
  ],
  [
    'an SSO sign-in that has ended',
    signInRequired,
    (bench) => signInToSso(bench, { expiresAt: inMinutes(-60) }).then(() => ({})),
  ],
  ['a program that fails', refused, (bench) => writeProcess(bench, 'exit 3')],
  ['a program that prints no JSON', refused, (bench) => writeProcess(bench, 'echo no keys')],
  [
    'a program that prints another version',
    refused,
    (bench) => writeProcess(bench, printed(keysOf(bench.aws), { Version: 2 })),
  ],
  [
    'a program whose keys have ended',
    signInRequired,
    (bench) => writeProcess(bench, printed(keysOf(bench.aws), { Expiration: inMinutes(-5).toISOString() })),
  ],
]

/** Finds the owner of an access key, without the name of a role's session. */
function findIdentity({ aws }: Workbench, accessKeyId: string): string | undefined {
  const { arn } = (aws.secretOf(accessKeyId) ?? {}) as Partial<AccessKey> // the stand-in's own record of the key
  return arn?.replace(/(:assumed-role\/[^/]+)\/.*$/, '$1')
}

const kinds = { orders, chains, refusals }

describe.each(Object.entries(kinds))('%s', (_, cases) => {
  test.each(cases)('%s leads to %j in both chains', async (_, found, prepare) => {
    const byChain = ['own', 'sdk'].map(async (chain) => {
      await using bench = await startWorkbench()
      await using route = await startAwsByName(bench)
      const { env = {}, profile = 'dev' } = await prepare(bench)
      const argv = ['--aws-chain', chain, ...(profile === 'default' ? [] : ['--profile', profile])]
      const outcome = await bench.run({ argv, env: { ...route.environment, ...env } })
      const { status, stderr } = outcome
      if (status === 0)
        return { found: findIdentity(bench, readToken(outcome).accessKeyId), isExplained: stderr === '' }
      return {
        found: `status ${status}`,
        isExplained: stderr.includes(': hint: '),
      }
    })
    const [own, sdk] = await Promise.all(byChain)
    const expected = typeof found === 'string' ? { own: found, sdk: found } : found
    expect({ own, sdk }).toEqual({
      own: { found: expected.own, isExplained: true },
      sdk: { found: expected.sdk, isExplained: true },
    })
  })
})
