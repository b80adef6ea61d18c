import { findTokenProblems, type OutputWriter } from './output-writer.ts'

/** What Git says of the credential that it wants, or that was refused. git-credential(1), "INPUT/OUTPUT FORMAT". */
export interface GitRequest {
  readonly protocol: string
  /** With the port where the address has one. */
  readonly host: string
  readonly username: string | undefined
  /** The refused secret, of `erase`. */
  readonly secret: string | undefined
  /** How the token is sent: `bearer` where the server wants nothing else and this Git can (2.46). */
  readonly scheme: 'basic' | 'bearer'
}

/** Reads attributes up to an empty line or the end; `undefined` for a text that has none of Git's. */
export function parseGitRequest(text: string): GitRequest | undefined {
  const attributes = parseAttributes(text)
  const last = (name: string) => attributes?.get(name)?.at(-1)
  const protocol = last('protocol')
  const host = last('host')
  if (protocol === undefined || host === undefined) return undefined
  return {
    ...{ protocol, host },
    username: last('username'),
    secret: last('credential') ?? last('password'),
    scheme: detectScheme(attributes?.get('capability[]') ?? [], attributes?.get('wwwauth[]') ?? []),
  }
}

/** An empty value of a list drops what stands before it. A line that is no attribute spoils the whole. */
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

/** Servers of Git take a token as the password of Basic; one that names Bearer and not Basic takes nothing else. */
function detectScheme(capabilities: readonly string[], challenges: readonly string[]): GitRequest['scheme'] {
  const wants = (scheme: RegExp) => challenges.some((challenge) => scheme.test(challenge))
  return capabilities.includes('authtype') && wants(/^bearer\b/i) && !wants(/^basic\b/i) ? 'bearer' : 'basic'
}

/** Attributes for Git. `ephemeral` has other helpers not keep a bearer token; an expiry is known to Git from 2.41 on. */
export function createGitWriter({ scheme, username }: Pick<GitRequest, 'scheme'> & { username: string }): OutputWriter {
  return {
    findProblems: (output, rules) => [
      ...findTokenProblems(output, 'git', rules),
      ...(/^[\x20-\x7e]+$/.test(username) ? [] : ['the user name has a character beyond visible ASCII and spaces']),
    ],
    render: ({ token, expiresAt }) => {
      const end = expiresAt ? [`password_expiry_utc=${Math.floor(expiresAt.getTime() / 1000)}`] : []
      const basic = [`username=${username}`, `password=${token}`]
      const bearer = ['capability[]=authtype', 'authtype=Bearer', `credential=${token}`, 'ephemeral=1']
      return [...(scheme === 'bearer' ? bearer : basic), ...end].map((line) => `${line}\n`).join('')
    },
  }
}
