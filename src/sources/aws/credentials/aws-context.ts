import type { Environment } from '../../../runtime/environment.ts'
import { readIfPresent } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import { digestEnvironment, rotatingVariables } from '../../child-environment.ts'
import { parseIdentity } from '../../jwt.ts'
import { toLoginPath } from '../login/login-file.ts'
import { toTokenPath } from '../sso/files/sso-session.ts'
import type { CredentialSource } from './credential-source.ts'
import type { AwsFiles } from './shared-files.ts'

/** As JSON, for the cache's key. */
interface AwsIdentityContext {
  readonly variables: unknown
  readonly content: readonly string[]
  readonly home: string
  /** Falsy where nobody is signed in. */
  readonly signIn: unknown
}

/**
 * Everything besides the source that decides whose credentials come back, for the cache's key: the AWS variables, the whole
 * AWS files (a `credential_process` may read any section, and endpoints have sections of their own), the home directory, the
 * sign-in, and for a `credential_process` the whole environment. An unrelated edit therefore costs one mint, but another
 * identity's token is never served. Secrets that rotate are left out: the access key id already tells two pairs apart.
 */
export async function describeAwsContext(
  source: CredentialSource,
  files: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): Promise<AwsIdentityContext> {
  const content = files.content.map((text) => text.replace(rotatingLines, ''))
  return { variables: awsVariables(env), content, home, signIn: await readSignIn(source, { env, home }) }
}

/** `AWS_CA_BUNDLE` decides which certificates are trusted and not whose credentials come back, as `--ca` does. */
const variablesLeftOut = new Set<string>([...rotatingVariables, 'AWS_CA_BUNDLE'])
const rotatingLines = /^\s*(aws_secret_access_key|aws_session_token)\s*=.*$/gim

function awsVariables(env: Environment): [string, string | undefined][] {
  // On Windows the names of variables are not case-sensitive.
  const names = Object.keys(env).filter((name) => /^AWS_/i.test(name) && !variablesLeftOut.has(name.toUpperCase()))
  return names.sort().map((name) => [name, env[name]])
}

/**
 * What tells one sign-in from another. For SSO it is the access token, which differs between people; it also changes with each
 * renewal, which costs a mint. For a console sign-in it is whether there is one, because its name already names the person.
 * For an identity token it is the identity in it, because the file keeps its path when its content changes. For a program it
 * is the whole environment.
 */
async function readSignIn(source: CredentialSource, host: Pick<Host, 'env' | 'home'>): Promise<unknown> {
  if (source.kind === 'role') return readSignIn(source.from, host)
  if (source.kind === 'process') return digestEnvironment(host.env)
  if (source.kind === 'web-identity') return parseIdentity((await readIfPresent(source.tokenFile))?.trim() ?? '')
  if (source.kind === 'container') return readContainerToken(host.env)
  if (source.kind === 'sso') return parseAccessToken(await readIfPresent(toTokenPath(source, host)))
  if (source.kind === 'login') return (await readIfPresent(toLoginPath(source.session, host))) !== undefined
  return undefined
}

/** The endpoint of container credentials tells its callers apart by this token. */
function readContainerToken({
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path,
}: Environment): Promise<string | undefined> {
  return path ? readIfPresent(path) : Promise.resolve(undefined)
}

function parseAccessToken(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text).accessToken
  } catch {
    return 'unreadable' // the mint reports it
  }
}
