import { join } from 'node:path'
import { toSha256 } from '../../../runtime/digest.ts'
import type { Environment } from '../../../runtime/environment.ts'
import type { Host } from '../../../runtime/host.ts'

/**
 * The file in which the AWS tools keep a console sign-in, named for the SHA-256 of the session's name. Botocore 1.43,
 * `LoginTokenLoader`, which also replaces `~` and variables in the directory that is named.
 */
export function toLoginPath(session: string, { env, home }: Pick<Host, 'env' | 'home'>): string {
  const named = env.AWS_LOGIN_CACHE_DIRECTORY
  const directory = named ? expandPath(named, { env, home }) : join(home, '.aws', 'login', 'cache')
  return join(directory, `${toSha256(session)}.json`)
}

/** As Python's `os.path.expandvars` and `expanduser` do: what is not set stays as it is. */
function expandPath(path: string, { env, home }: { env: Environment; home: string }): string {
  const expanded = path.replace(/\$(?:(\w+)|\{([^}]*)\})/g, (text, name, braced) => env[name ?? braced] ?? text)
  return expanded.replace(/^~(?=$|[/\\])/, () => home)
}
