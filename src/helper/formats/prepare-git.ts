import { isPrintable } from '../../contract/headers.ts'
import type { OutputWriter } from '../../contract/output-format.ts'
import { HelperError } from '../../runtime/failure.ts'
import { programName } from '../../version.ts'
import { type AskedServer, describePlainServer, isNamed, parseServer, refuseNoHosts } from './named-hosts.ts'
import { type AskedCall, type PreparedFormat, readRequest } from './read-request.ts'

/**
 * Prepares the answer to a request from Git. The answer is empty for a server that is not ours, so that Git asks its next helper, and for
 * an unknown action. `store` does nothing, because our cache keeps tokens. Source: gitcredentials(7), "CUSTOM HELPERS".
 */
export async function prepareGit(asked: AskedCall): Promise<PreparedFormat> {
  const { action, helper, options } = asked
  if (action !== 'get' && action !== 'erase') return { work: 'nothing' }
  const request = parseGitRequest(await readRequest(asked, (text) => /^\n|\n\n/.test(text)))
  if (!request)
    throw new HelperError(
      'usage',
      'the request on stdin has no "protocol" and "host", or has a line that is not an attribute of Git',
      `let Git run this helper, with the configuration from: ${programName} config init --client git --helper HELPER --base-url URL`,
    )
  const server = findNamedServer(request, options['for-host'])
  if (!server) return { work: 'nothing' }
  refusePlainServer(server)
  if (action === 'erase') return { work: 'removal', refused: request.secret }
  const username = request.username || options['git-username'] || usualName
  return { work: 'credential', helper, writer: createGitWriter({ scheme: request.scheme, username }) }
}

/** The user name for servers that accept a token as the password: they ignore the name or require this one. */
const usualName = 'oauth2'

/** Parses attributes up to an empty line or the end; `undefined` for a text without any of Git's attributes. */
function parseGitRequest(text: string): GitRequest | undefined {
  const attributes = parseAttributes(text)
  const last = (name: string) => attributes?.get(name)?.at(-1)
  const protocol = last('protocol')
  const host = last('host')
  if (protocol === undefined || host === undefined) return undefined
  return {
    protocol,
    host,
    username: last('username'),
    secret: last('credential') ?? last('password'),
    scheme: detectScheme(attributes?.get('capability[]') ?? [], attributes?.get('wwwauth[]') ?? []),
  }
}

/**
 * Finds the server of a request; `undefined` if no value of `for-host` matches it.
 * @throws {HelperError} if `for-host` is not set.
 */
function findNamedServer({ protocol, host }: GitRequest, names: readonly string[]): AskedServer | undefined {
  const server = /[/?#@\\\s]/.test(host) ? undefined : parseServer(`${protocol}://${host}`)
  if (!server) return undefined
  refuseNoHosts(names, 'git')
  return isNamed(names, server) ? server : undefined
}

/** Refuses to send the token over plain HTTP. @throws {HelperError} `refused` */
function refusePlainServer({ isPlain, host }: AskedServer): void {
  if (isPlain)
    throw new HelperError(
      'refused',
      describePlainServer(host),
      `give the remote an address that begins with https://, with: git remote set-url origin https://…`,
    )
}

/**
 * The attributes with which Git describes the credential that it wants, or that a server refused. Source: git-credential(1), "INPUT/OUTPUT
 * FORMAT".
 */
interface GitRequest {
  readonly protocol: string
  /** The host, and the port if the address has one. */
  readonly host: string
  readonly username: string | undefined
  /** The refused secret, in a request to `erase`. */
  readonly secret: string | undefined
  /** The scheme for sending the token: `bearer` if the server accepts nothing else and this Git supports it (2.46 or later). */
  readonly scheme: 'basic' | 'bearer'
}

/** Parses `name=value` lines. An empty value clears the list before it. A line that is not an attribute makes the whole request invalid. */
function parseAttributes(text: string): Map<string, string[]> | undefined {
  const attributes = new Map<string, string[]>()
  if (text.includes('\0')) return undefined
  for (const line of text.split('\n')) {
    if (line === '') break
    const at = line.indexOf('=')
    if (at < 1) return undefined
    const [name, value] = [line.slice(0, at), line.slice(at + 1)]
    const isReset = name.endsWith('[]') && value === ''
    attributes.set(name, isReset ? [] : [...(attributes.get(name) ?? []), value])
  }
  return attributes
}

/** Chooses Basic, with the token as the password, unless the server offers only Bearer. */
function detectScheme(capabilities: readonly string[], challenges: readonly string[]): GitRequest['scheme'] {
  const wants = (scheme: RegExp) => challenges.some((challenge) => scheme.test(challenge))
  return capabilities.includes('authtype') && wants(/^bearer\b/i) && !wants(/^basic\b/i) ? 'bearer' : 'basic'
}

/** Writes attributes for Git. `ephemeral` tells Git's other helpers not to store a bearer token. Git reads an expiry since 2.41. */
function createGitWriter({ scheme, username }: Pick<GitRequest, 'scheme'> & { username: string }): OutputWriter {
  return {
    validateFormat: () =>
      isPrintable(username) ? [] : ['the user name has a character beyond visible ASCII and spaces'],
    render: ({ token, expiresAt }) => {
      const end = expiresAt ? [`password_expiry_utc=${Math.floor(expiresAt / 1000)}`] : []
      const basic = [`username=${username}`, `password=${token}`]
      const bearer = ['capability[]=authtype', 'authtype=Bearer', `credential=${token}`, 'ephemeral=1']
      return [...(scheme === 'bearer' ? bearer : basic), ...end].map((line) => `${line}\n`).join('')
    },
  }
}
