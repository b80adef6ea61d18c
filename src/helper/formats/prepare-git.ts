import { createGitWriter, type GitRequest, parseGitRequest } from '../../contract/formats/git.ts'
import { HelperError } from '../../runtime/failure.ts'
import { isNamed, parseServer } from './named-hosts.ts'
import { type PreparedFormat, readRequest } from './read-request.ts'
import type { AskedCall } from './refuse-wrong-action.ts'

/**
 * Prepares the answer to a request of Git. For a server that is not ours the answer is empty, so that Git asks its next helper, and so
 * it is for an unknown action. `store` does nothing, because our cache keeps tokens. gitcredentials(7), "CUSTOM HELPERS".
 */
export async function prepareGit(asked: AskedCall): Promise<PreparedFormat> {
  const { action, helper, options } = asked
  if (action !== 'get' && action !== 'erase') return { work: 'nothing' }
  const request = parseGitRequest(await readRequest(asked, (text) => /^\n|\n\n/.test(text)))
  if (!request)
    throw new HelperError(
      'usage',
      'the request on stdin has no "protocol" and "host", or has a line that is not an attribute of Git',
      'let Git run this helper: gatepass config init --client git writes its configuration',
    )
  if (!isOurs(request, options['for-host'])) return { work: 'nothing' }
  if (action === 'erase') return { work: 'removal', refused: request.secret }
  const username = request.username || options['git-username'] || usualName
  return { work: 'credential', helper, writer: createGitWriter({ scheme: request.scheme, username }) }
}

/** Servers that take a token as the password read no user name, or want this one. */
const usualName = 'oauth2'

/** @throws {HelperError} `refused` for a named server that would be sent the token over plain http. */
function isOurs({ protocol, host }: GitRequest, names: readonly string[]): boolean {
  const server = /[/?#@\\\s]/.test(host) ? undefined : parseServer(`${protocol}://${host}`)
  if (!server || !isNamed(names, server, 'git')) return false
  if (!server.isPlain) return true
  throw new HelperError(
    'refused',
    `${server.host} would get the token over plain http, which anybody on the network can read`,
    `give the remote an address that begins with https://, with: git remote set-url origin https://…`,
  )
}
