import { HelperError } from '../failure.ts'
import { Secret } from '../secret.ts'
import { normalizeHost } from './addresses.ts'
import { encodeBasic } from './client-credentials.ts'

/** An HTTP proxy that opens tunnels (RFC 9110, section 9.3.6). */
export interface ForwardProxy {
  /** Its URL without user and password, for messages. */
  readonly name: string
  readonly protocol: 'http:' | 'https:'
  readonly host: string
  readonly port: number
  /** The value of `Proxy-Authorization`, if the URL has a user. */
  readonly authorization: Secret | undefined
}

/**
 * Parses a proxy's URL; without a scheme it is `http`, as in curl. Messages do not repeat the text, which may contain a password.
 * @param origin The place of the setting, for messages.
 * @throws {HelperError} `not-configured` that names the kind of proxy that is not supported; `usage` for a password in an argument.
 */
export function parseProxy(text: string, origin: string): ForwardProxy {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase()
  if (scheme?.startsWith('pac') || /\.(pac|dat)([?#].*)?$/i.test(text))
    throw new HelperError(
      'not-configured',
      `the proxy (${origin}) is a PAC file, which cannot be used`,
      'open that file, and set the host and port that follow PROXY in it, such as http://proxy.example:3128',
    )
  if (scheme?.startsWith('socks'))
    throw new HelperError(
      'not-configured',
      `the proxy (${origin}) is a SOCKS proxy, which cannot be used`,
      `${/^variable all_proxy$/i.test(origin) ? 'set HTTPS_PROXY, which is read before ALL_PROXY,' : 'set it'} to an HTTP proxy, such as http://proxy.example:3128`,
    )
  const url = parseUrl(scheme === undefined ? `http://${text}` : text)
  const credentials = url && parseCredentials(url)
  if (!url || !credentials || !isWeb(url.protocol))
    throw new HelperError(
      'not-configured',
      `the proxy (${origin}) is not a URL of the form http://host:port`,
      'write it as http://host:port, or http://user:password@host:port with every special character as %XX',
    )
  const authorization = toAuthorization(credentials)
  if (authorization && origin === 'argument')
    throw new HelperError(
      'usage',
      'the proxy has a password in an argument, which every user of this machine can read',
      'name it in a variable, such as HTTPS_PROXY, or in a configuration file',
    )
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return {
    name: `${url.protocol}//${url.host}`,
    protocol: url.protocol,
    host: normalizeHost(url.hostname),
    port,
    authorization,
  }
}

function parseUrl(text: string): (URL & { protocol: string }) | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

interface ProxyCredentials {
  readonly user: string
  readonly password: string
}

/** Decodes the user and the password; `undefined` if a `%` does not begin an encoded byte. */
function parseCredentials({ username, password }: URL): ProxyCredentials | undefined {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return undefined // the error itself would repeat the password
  }
}

function isWeb(protocol: string): protocol is ForwardProxy['protocol'] {
  return protocol === 'http:' || protocol === 'https:'
}

/** Encodes `Proxy-Authorization` for Basic authentication (RFC 7617). */
function toAuthorization({ user, password }: ProxyCredentials): Secret | undefined {
  if (user === '' && password === '') return undefined
  return new Secret(encodeBasic(user, password))
}
