import { type OutputWriter, validateToken } from './output-writer.ts'

/** The attributes by which Git describes the credential that it wants, or that was refused. git-credential(1), "INPUT/OUTPUT FORMAT". */
export interface GitRequest {
  readonly protocol: string
  /** With the port, if the address has a port. */
  readonly host: string
  readonly username: string | undefined
  /** The refused secret, in a request to `erase`. */
  readonly secret: string | undefined
  /** How the token is sent: `bearer` if the server accepts nothing else and this Git supports it (from 2.46 on). */
  readonly scheme: 'basic' | 'bearer'
}

/** Reads attributes up to an empty line or the end; `undefined` for a text without any attribute of Git's. */
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

/** An empty value of a list drops the values before it. A line that is not an attribute makes the whole request invalid. */
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

/** Git servers take a token as the password of Basic; a server that offers Bearer and not Basic takes nothing else. */
function detectScheme(capabilities: readonly string[], challenges: readonly string[]): GitRequest['scheme'] {
  const wants = (scheme: RegExp) => challenges.some((challenge) => scheme.test(challenge))
  return capabilities.includes('authtype') && wants(/^bearer\b/i) && !wants(/^basic\b/i) ? 'bearer' : 'basic'
}

/** Attributes for Git. `ephemeral` tells other helpers not to keep a bearer token; Git knows an expiry from 2.41 on. */
export function createGitWriter({ scheme, username }: Pick<GitRequest, 'scheme'> & { username: string }): OutputWriter {
  return {
    findProblems: (output, rules) => [
      ...validateToken(output, 'git', rules),
      ...(/^[\x20-\x7e]+$/.test(username) ? [] : ['the user name has a character beyond visible ASCII and spaces']),
    ],
    render: ({ token, expiresAt }) => {
      const end = expiresAt ? [`password_expiry_utc=${Math.floor(expiresAt / 1000)}`] : []
      const basic = [`username=${username}`, `password=${token}`]
      const bearer = ['capability[]=authtype', 'authtype=Bearer', `credential=${token}`, 'ephemeral=1']
      return [...(scheme === 'bearer' ? bearer : basic), ...end].map((line) => `${line}\n`).join('')
    },
  }
}
