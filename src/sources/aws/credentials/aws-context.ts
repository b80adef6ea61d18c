import { readIfPresent } from '../../../runtime/disk.ts'
import type { Host } from '../../../runtime/host.ts'
import { listNames, rotatingVariables } from '../../../runtime/program/identity-variables.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { parseIdentity } from '../../../runtime/tokens/jwt.ts'
import type { AwsFiles, AwsLine } from '../files/aws-files.ts'
import { type AwsCredentialSource, findFirst, type SourceOf } from './credential-source.ts'

/**
 * Everything besides the source that decides whose credentials come back, for the cache's key: the AWS variables, every setting of
 * the AWS files (a `credential_process` may read any section, and endpoints have sections of their own), the home directory and the
 * sign-in. An unrelated edit therefore costs one mint, but another identity's token is never served. Secrets that rotate are left
 * out, because the access key id already distinguishes two pairs. The inputs of a `credential_process` are added elsewhere.
 */
export async function describeAwsContext(
  source: AwsCredentialSource,
  files: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): Promise<AwsIdentityContext> {
  const settings = files.lines.map((lines) => lines.filter(({ key }) => !rotatingSettings.has(key)).map(toKeyPart))
  return { variables: listAwsVariables(env), settings, home, signIn: await readSignIn(source, { env, home }) }
}

/** As JSON, for the cache's key. */
interface AwsIdentityContext {
  readonly variables: unknown
  readonly settings: unknown
  readonly home: string
  /** Falsy if nobody is signed in. */
  readonly signIn: unknown
}

/** `AWS_CA_BUNDLE` decides, like `--ca`, which certificates are trusted, and not whose credentials come back. */
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
 * The part of the key that distinguishes sign-ins. For SSO it is the access token, which differs between people; it also changes with
 * each renewal, which costs a mint. For a console sign-in it is whether there is one, because its name already names the person. For
 * an identity token it is the identity in it, because the file keeps its path when its content changes. For a kind that only the AWS
 * SDK knows, it is the state of all files that the AWS tools keep. Code that only one kind needs is loaded for it.
 */
async function readSignIn(chain: AwsCredentialSource, host: Pick<Host, 'env' | 'home'>): Promise<unknown> {
  const source = findFirst(chain)
  if (source.kind === 'web-identity') return parseIdentity((await readIfPresent(source.tokenFile))?.trim() ?? '')
  if (source.kind === 'container') return readContainerToken(host.env)
  if (source.kind === 'sso') return readAccessToken(source, host)
  if (source.kind === 'login') return hasLogin(source, host)
  if (source.kind === 'sdk') return (await import('../sdk-chain/read-tool-state.ts')).readToolState(host.home)
  return undefined
}

/** The endpoint of container credentials distinguishes its callers by this token. */
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
