import { join } from 'node:path'
import { toSha256 } from '../../../runtime/digest.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import type { EndpointSettings } from '../endpoint-settings.ts'
import { locateToolDirectory } from '../files/aws-files.ts'

/**
 * Locates the file in which the AWS tools store a console sign-in, whose name is the SHA-256 of the session's name (botocore 1.43,
 * `LoginTokenLoader`, which also expands `~` and variables in the configured directory).
 */
export function toLoginPath(session: string, { env, home }: Pick<Host, 'env' | 'home'>): string {
  const named = env.AWS_LOGIN_CACHE_DIRECTORY
  const directory = named ? expandPath(named, { env, home }) : join(locateToolDirectory(home), 'login', 'cache')
  return join(directory, `${toSha256(session)}.json`)
}

/** Expands a path like Python's `os.path.expandvars` and `expanduser`: a variable that is not set stays as it is. */
function expandPath(path: string, { env, home }: { env: Environment; home: string }): string {
  const expanded = path.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (text, name, braced) => env[name ?? braced] ?? text)
  return expanded.replace(/^~(?=$|[/\\])/, () => home)
}

/** A console sign-in: its profile, and the region in which it is made and renewed. */
export interface LoginSite {
  readonly profile: string
  /** `login_session` of the profile: the ARN of the person who signs in. */
  readonly session: string
  readonly region: string
  readonly endpoints: EndpointSettings
  /** The hint to sign in again, imperative. */
  readonly renewalHint: string
}

export function describeSignIn({ profile }: Pick<LoginSite, 'profile'>): string {
  return `the console sign-in of profile "${profile}"`
}

/** Names the service in messages. */
export function describeService({ region }: Pick<LoginSite, 'region'>): string {
  return `the AWS sign-in service in ${region}`
}
