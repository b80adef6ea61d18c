import { readIfPresent } from '../../../runtime/disk.ts'
import type { Host } from '../../../runtime/host.ts'
import { listNames, rotatingVariables } from '../../../runtime/program/identity-variables.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { parseIdentity } from '../../../runtime/tokens/jwt.ts'
import type { AwsFiles, AwsLine } from '../files/aws-files.ts'
import { type AwsCredentialSource, type SourceOf, selectFirst } from './credential-source.ts'

/**
 * Everything besides the source that decides whose credentials are returned, for the cache key: the AWS variables, every setting of the AWS
 * files (a `credential_process` may read any section, and endpoints have sections of their own), the home directory and the sign-in. An
 * unrelated edit therefore costs one mint, but another identity's token is never served. Rotating secrets are left out, because the access
 * key ID already distinguishes two pairs. The inputs of a `credential_process` are added elsewhere.
 */
export async function collectAwsContext(
  source: AwsCredentialSource,
  files: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): Promise<AwsIdentityContext> {
  const settings = files.lines.map((lines) => lines.filter(({ key }) => !rotatingSettings.has(key)).map(toKeyPart))
  return { variables: listAwsVariables(env), settings, home, signIn: await readSignIn(source, { env, home }) }
}

/** The parts of the cache key that concern the identity, as JSON. */
interface AwsIdentityContext {
  readonly variables: unknown
  readonly settings: unknown
  readonly home: string
  /** What distinguishes the sign-in, as JSON; falsy if nobody is signed in. */
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

/**
 * Reads what distinguishes one sign-in from another. For SSO, this is the access token, which differs between people; it also changes with
 * each renewal, which costs a mint. For a console sign-in, it is whether a sign-in exists, because the session's name already names the
 * person. For an identity token, it is the identity in the token, because the file keeps its path when its content changes. For a kind that
 * only the AWS SDK knows, it is the state of all files that the AWS tools keep. Code that only one kind needs is loaded on use.
 */
async function readSignIn(chain: AwsCredentialSource, host: Pick<Host, 'env' | 'home'>): Promise<unknown> {
  const source = selectFirst(chain)
  if (source.kind === 'web-identity') return parseIdentity((await readIfPresent(source.tokenFile))?.trim() ?? '')
  if (source.kind === 'container') return readContainerToken(host.env)
  if (source.kind === 'sso') return readAccessToken(source, host)
  if (source.kind === 'login') return hasLogin(source, host)
  if (source.kind === 'sdk') return (await import('../sdk-chain/read-tool-state.ts')).readToolState(host.home)
  return undefined
}

/** Reads the token by which the endpoint of container credentials distinguishes its callers. */
function readContainerToken({
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path,
}: Environment): Promise<string | undefined> {
  return path ? readIfPresent(path) : Promise.resolve(undefined)
}

async function readAccessToken(source: SourceOf<'sso'>, host: Pick<Host, 'home'>): Promise<unknown> {
  const { toTokenPath } = await import('../sso/sso-session.ts')
  return parseAccessToken(await readIfPresent(toTokenPath(source, host)))
}

async function hasLogin({ session }: SourceOf<'login'>, host: Pick<Host, 'env' | 'home'>): Promise<boolean> {
  const { toLoginPath } = await import('../login/login-site.ts')
  return (await readIfPresent(toLoginPath(session, host))) !== undefined
}

function parseAccessToken(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text).accessToken
  } catch {
    return 'unreadable' // the mint reports it
  }
}
