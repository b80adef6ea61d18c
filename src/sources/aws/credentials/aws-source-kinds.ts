// Holds a row for each kind of source of AWS credentials: how it is described, whose it is, and how it is fetched.

import { readIfPresent } from '../../../runtime/disk.ts'
import type { Host } from '../../../runtime/host.ts'
import { listNames, rotatingVariables } from '../../../runtime/program/identity-variables.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { quoteForAnyShell } from '../../../runtime/text/quote.ts'
import { parseIdentity } from '../../../runtime/tokens/jwt.ts'
import type { AwsFiles, AwsLine } from '../files/aws-files.ts'
import { describePaths, toTerminalHint } from '../files/locate-setting.ts'
import {
  type AwsContext,
  type AwsCredentialSource,
  type AwsCredentials,
  dropUserAndQuery,
  type SourceOf,
  selectFirst,
  toLoginSite,
  toSsoSite,
} from './credential-source.ts'

/** Describes a source for `--explain`, one line for each step, the outermost first. */
export function describeSource(source: AwsCredentialSource): string[] {
  return [describeStep(source), ...(source.kind === 'role' ? describeSource(source.from) : [])]
}

/** Describes the first step of a source. For a role, the line ends with "with", because another source follows. */
export function describeStep(source: AwsCredentialSource): string {
  return toKind(source).describe(source)
}

/** Describes how expired credentials are renewed, for a hint. In a chain of roles, the innermost credentials have to be renewed. */
export function describeRenewal(source: AwsCredentialSource, files: AwsFiles): string {
  return toKind(source).describeRenewal(source, files)
}

/** Returns whether credentials begin with a person's sign-in. */
export function isPersonal(source: AwsCredentialSource): boolean {
  return toKind(selectFirst(source)).isPersonal === true
}

/** Fetches the credentials of a source, and tries no other source. @throws {HelperError} */
export async function fetchFromSource(source: AwsCredentialSource, context: AwsContext): Promise<AwsCredentials> {
  const credentials = await toKind(source).fetch(source, context)
  context.onStep?.(source, credentials)
  return credentials
}

/**
 * Collects everything besides the source that decides whose credentials are returned, for the cache key: the AWS variables, every setting
 * of the AWS files (a `credential_process` may read any section, and endpoints have sections of their own), the home directory and the
 * sign-in. An unrelated edit therefore costs one mint, but another identity's token is never served. Rotating secrets are left out, because
 * the access key ID already distinguishes two pairs. The inputs of a `credential_process` are added elsewhere.
 */
export async function collectIdentityFacts(
  source: AwsCredentialSource,
  files: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): Promise<IdentityFacts> {
  const settings = files.lines.map((lines) => lines.filter(({ key }) => !rotatingSettings.has(key)).map(toKeyPart))
  return { variables: listAwsVariables(env), settings, home, signIn: await readSignIn(source, { env, home }) }
}

/** Finds the profile that a source belongs to; `undefined` for one of the environment. */
export function findProfile(source: AwsCredentialSource): string | undefined {
  return 'profile' in source ? source.profile : undefined
}

/** The parts of the cache key that concern the identity, as JSON. */
interface IdentityFacts {
  readonly variables: unknown
  readonly settings: unknown
  readonly home: string
  /** The facts that distinguish one sign-in from another, as JSON; a falsy value if nobody is signed in. */
  readonly signIn: unknown
}

/**
 * Variables that do not change whose credentials are returned. `AWS_CA_BUNDLE`, like `--ca`, only decides which certificates are trusted.
 */
const variablesLeftOut = new Set<string>([...rotatingVariables, 'AWS_CA_BUNDLE'])
const rotatingSettings: ReadonlySet<string> = new Set(['aws_secret_access_key', 'aws_session_token'])

function toKeyPart({ content, heading, key, value }: AwsLine): string {
  return content === 'heading' ? `[${heading}]` : `${key}=${value}`
}

function listAwsVariables(env: Environment): [string, string | undefined][] {
  const names = listNames(env, 'AWS_').filter((name) => !variablesLeftOut.has(name.toUpperCase()))
  return names.map((name) => [name, env[name]])
}

/** Reads what distinguishes one sign-in from another, for the source with which a chain begins; `undefined` if nothing does. */
async function readSignIn(chain: AwsCredentialSource, host: SignInHost): Promise<unknown> {
  const source = selectFirst(chain)
  return toKind(source).readSignIn?.(source, host)
}

type SignInHost = Pick<Host, 'env' | 'home'>

/** The functions for one kind of source, except for its plan. Code that only one kind needs is loaded on use. */
interface AwsSourceKind<S> {
  /** See {@link describeStep}. */
  describe(source: S): string
  /** How expired credentials are renewed, in the imperative. */
  describeRenewal(source: S, files: AwsFiles): string
  /** Whether a person signs in. */
  readonly isPersonal?: true
  /** Reads what the source itself does not name and what decides whose credentials these are; absent if nothing does. */
  readSignIn?(source: S, host: SignInHost): Promise<unknown>
  fetch(source: S, context: AwsContext): Promise<AwsCredentials>
}

const sourceKinds: { readonly [K in AwsCredentialSource['kind']]: AwsSourceKind<SourceOf<K>> } = {
  keys: {
    describe: ({ profile, accessKeyId }) => `profile "${profile}": access key ${accessKeyId}`,
    describeRenewal: ({ profile }, files) =>
      `put current keys into profile "${profile}" of ${describePaths(profile, files)}`,
    fetch: async (source) => toCredentials(source),
  },
  environment: {
    describe: ({ accessKeyId }) => `environment: access key ${accessKeyId}`,
    describeRenewal: () =>
      'set current AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN where the client starts',
    fetch: async (source) => toCredentials(source),
  },
  role: {
    describe: ({ profile, roleArn }) => `profile "${profile}": assumes ${roleArn} with`,
    describeRenewal: ({ from }, files) => describeRenewal(from, files),
    fetch: async (source, context) => {
      const [{ assumeRole }, from] = await Promise.all([import('./roles.ts'), fetchFromSource(source.from, context)])
      return assumeRole(source, from, context)
    },
  },
  'web-identity': {
    describe: (source) =>
      `${describeOwner(source)}: assumes ${source.roleArn} with the identity token in ${source.tokenFile}`,
    describeRenewal: ({ tokenFile }) => `find out why the program that writes ${tokenFile} does not renew it`,
    // Reads the identity in the token, because the file keeps its path when its content changes.
    readSignIn: async ({ tokenFile }) => parseIdentity((await readIfPresent(tokenFile))?.trim() ?? ''),
    fetch: async (source, context) => (await import('./roles.ts')).assumeRoleWithWebIdentity(source, context),
  },
  process: {
    describe: ({ profile }) => `profile "${profile}": runs its credential_process`,
    describeRenewal: ({ profile }, files) =>
      toTerminalHint(
        `see what it prints with: aws configure export-credentials --profile ${quoteForAnyShell(profile)}`,
        files,
      ),
    fetch: async (source, context) => (await import('./credential-process.ts')).runCredentialProcess(source, context),
  },
  sso: {
    describe: ({ profile, role, account, startUrl }) =>
      `profile "${profile}": role ${role} in account ${account}, signed in at ${startUrl}`,
    describeRenewal: ({ profile, session }, files) =>
      toTerminalHint(
        session === undefined
          ? `run: aws sso login --profile ${quoteForAnyShell(profile)}`
          : `run: aws sso login --sso-session ${quoteForAnyShell(session)}`,
        files,
      ),
    isPersonal: true,
    // Reads the access token, which differs between people; it also changes with each renewal, which costs a mint.
    readSignIn: async (source, host) => {
      const { toTokenPath } = await import('../sso/sso-session.ts')
      return parseAccessToken(await readIfPresent(toTokenPath(source, host)))
    },
    fetch: async (source, { host, call, plan }) => {
      const { fetchSsoCredentials } = await import('../sso/sso-credentials.ts')
      return fetchSsoCredentials({ role: source, site: toSsoSite(source, plan), host, call })
    },
  },
  login: {
    describe: ({ profile, session }) => `profile "${profile}": console sign-in ${session}`,
    describeRenewal: ({ profile }, files) =>
      toTerminalHint(`run: aws login --profile ${quoteForAnyShell(profile)}`, files),
    isPersonal: true,
    // Looks whether a sign-in exists, because the session's name already names the person.
    readSignIn: async ({ session }, host) => {
      const { toLoginPath } = await import('../login/login-site.ts')
      return (await readIfPresent(toLoginPath(session, host))) !== undefined
    },
    fetch: async (source, { host, call, plan }) => {
      const { fetchLoginCredentials } = await import('../login/fetch-login-credentials.ts')
      return fetchLoginCredentials({ site: toLoginSite(source, plan), host, call })
    },
  },
  container: {
    describe: (source) => `${describeOwner(source)}: container credentials at ${dropUserAndQuery(source.endpoint)}`,
    describeRenewal: () => 'check the role of the task or pod',
    // Reads the token by which the endpoint distinguishes its callers.
    readSignIn: async (_, { env: { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path } }) =>
      path ? readIfPresent(path) : undefined,
    fetch: async (source, context) =>
      (await import('./container-credentials.ts')).fetchContainerCredentials(source, context),
  },
  instance: {
    describe: (source) => `${describeOwner(source)}: instance metadata`,
    describeRenewal: () =>
      'check that this machine has an instance profile, or name a profile with --profile or AWS_PROFILE',
    fetch: async (source, context) =>
      (await import('./instance-credentials.ts')).fetchInstanceCredentials(source, context),
  },
  sdk: {
    describe: ({ profile, reason }) =>
      `${profile === undefined ? 'default chain' : `profile "${profile}"`}: the AWS SDK finds the credentials, ${reason}`,
    describeRenewal: ({ profile, own }, files) => {
      if (own) return describeRenewal(own, files)
      return profile === undefined
        ? 'name a profile with --profile or AWS_PROFILE'
        : `correct profile "${profile}" in ${describePaths(profile, files)}, or sign in with the tool that it is for`
    },
    // Reads the state of all files that the AWS tools keep, because only the SDK knows the kind.
    readSignIn: async (_, { home }) => (await import('../sdk-chain/read-tool-state.ts')).readToolState(home),
    fetch: async (source, context) =>
      (await import('./sdk-credentials.ts')).fetchBySdk({ ...source, isPersonal: isPersonal(source) }, context),
  },
}

function toKind(source: AwsCredentialSource): AwsSourceKind<AwsCredentialSource> {
  return sourceKinds[source.kind]
}

function toCredentials(source: SourceOf<'keys' | 'environment'>): AwsCredentials {
  const { accessKeyId, secretAccessKey, sessionToken, account } = source
  const expiration = source.kind === 'environment' ? source.expiration : undefined
  return { accessKeyId, secretAccessKey, sessionToken, account, expiration }
}

function describeOwner({ profile }: { readonly profile?: string | undefined }): string {
  return profile === undefined ? 'environment' : `profile "${profile}"`
}

function parseAccessToken(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text).accessToken
  } catch {
    return 'unreadable' // the mint reports it
  }
}
