import { join } from 'node:path'
import { sha1, sha256 } from '../../../runtime/digest.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { readIfPresent } from '../../../runtime/files.ts'
import type { Host } from '../../../runtime/host.ts'
import { digestEnvironment, rotatingVariables } from '../../child-environment.ts'
import { parseIdentity } from '../../jwt.ts'
import type { CredentialSource } from './credential-source.ts'
import type { AwsFiles } from './shared-files.ts'

/**
 * What beside the chosen source decides whose credentials come back, for the cache's key: the AWS variables,
 * the AWS files whole (a `credential_process` may read any section, and endpoints stand in sections of their own), the
 * home directory, the sign-in, and for a `credential_process` the whole environment. One mint too many after an
 * unrelated edit is the price of never serving another identity's token. Secrets that rotate are left out: the id of an
 * access key tells one pair from another.
 */
export async function describeAwsContext(
  source: CredentialSource,
  files: AwsFiles,
  { env, home }: Pick<Host, 'env' | 'home'>,
): Promise<object> {
  const content = files.content.map((text) => text.replace(rotatingLines, ''))
  return { variables: awsVariables(env), content, home, signIn: await readSignIn(source, { env, home }) }
}

/** Those, and the one that says whom to believe on the way, as `--ca` does. */
const variablesLeftOut = new Set<string>([...rotatingVariables, 'AWS_CA_BUNDLE'])
const rotatingLines = /^\s*(aws_secret_access_key|aws_session_token)\s*=.*$/gim

function awsVariables(env: Environment): [string, string | undefined][] {
  return (
    Object.entries(env)
      // Windows does not tell letters by their case.
      .filter(([name]) => /^AWS_/i.test(name) && !variablesLeftOut.has(name.toUpperCase()))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
}

/**
 * What tells one sign-in from another. Of SSO the access token: another person's sign-in has another one, as has each
 * renewal, which costs a mint. Of a console sign-in that it is there: its name is the person's own. Of an identity token
 * whose it is: the file stays when another one is put into it. Of a program everything that it may go by.
 */
async function readSignIn(source: CredentialSource, host: Pick<Host, 'env' | 'home'>): Promise<unknown> {
  if (source.kind === 'role') return readSignIn(source.from, host)
  if (source.kind === 'process') return digestEnvironment(host.env)
  if (source.kind === 'web-identity') return parseIdentity((await readIfPresent(source.tokenFile))?.trim() ?? '')
  if (source.kind === 'container') return readContainerToken(host.env)
  if (source.kind === 'sso')
    return parseAccessToken(await readIfPresent(ssoFile(source.session ?? source.startUrl, host)))
  if (source.kind === 'login') return (await readIfPresent(loginFile(source.session, host))) !== undefined
  return undefined
}

/** The agent beside a container tells its callers apart by this token. */
function readContainerToken({
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path,
}: Environment): Promise<string | undefined> {
  return path ? readIfPresent(path) : Promise.resolve(undefined)
}

function parseAccessToken(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text).accessToken
  } catch {
    return 'unreadable' // whoever mints says so
  }
}

/** Where the AWS tools keep a sign-in. Their own convention: SHA-1 of the session's name, or of the start URL. */
function ssoFile(name: string, { home }: Pick<Host, 'home'>): string {
  return join(home, '.aws', 'sso', 'cache', `${sha1(name)}.json`)
}

/** SHA-256 of the session's name. */
function loginFile(session: string, { env, home }: Pick<Host, 'env' | 'home'>): string {
  return join(env.AWS_LOGIN_CACHE_DIRECTORY || join(home, '.aws', 'login', 'cache'), `${sha256(session)}.json`)
}
