import { HelperError } from '../../runtime/failure.ts'
import { isLoopback, normalizeHost } from '../../runtime/network/addresses.ts'

/** Schemes of requests that can carry a token, each with the protocol on the wire. */
const schemes: Readonly<Record<string, 'https:' | 'http:'>> = {
  https: 'https:',
  grpcs: 'https:',
  http: 'http:',
  grpc: 'http:',
}

/** Parses the server of an address; `undefined` for another scheme, or for a text that is not an address. */
export function parseServer(address: string): AskedServer | undefined {
  const [, scheme = '', rest = ''] = /^([a-z]+):(\/\/.*)$/is.exec(address) ?? []
  const wire = Object.hasOwn(schemes, scheme.toLowerCase()) ? schemes[scheme.toLowerCase()] : undefined
  const url = wire && URL.parse(`${wire}${rest}`)
  if (!url) return undefined
  const host = normalizeHost(url.hostname)
  const port = url.port || (wire === 'https:' ? '443' : '80')
  return { host, port, isUsualPort: url.port === '', isPlain: wire === 'http:' && !isLoopback(host) }
}

/** A server that a client requests a credential for. */
export interface AskedServer {
  readonly host: string
  readonly port: string
  /** Whether the port is the scheme's default. */
  readonly isUsualPort: boolean
  /** Whether the connection leaves this machine unencrypted, so that the network could read the credential. */
  readonly isPlain: boolean
}

/** Refuses a format that needs the option `for-host`, if that is not set. @throws {HelperError} `not-configured` */
export function refuseNoHosts(names: readonly string[], format: string): void {
  if (names.length === 0)
    throw new HelperError(
      'not-configured',
      `for-host is not set, and with --format ${format} a token may go only to the servers that it names`,
      'name each server with --for-host, such as --for-host example.com or --for-host example.com:8443',
    )
}

/**
 * Returns whether a value of `for-host` matches a server. A value without a port matches the scheme's default port; `*.` matches every name
 * below a domain.
 * @throws {HelperError} `usage` for a value that is not a host.
 */
export function isNamed(names: readonly string[], server: AskedServer): boolean {
  return names.map(parseName).some((name) => isSameServer(name, server))
}

interface HostName {
  readonly host: string
  readonly port: string | undefined
  readonly isBelow: boolean
}

/** Parses one value of the option `for-host`. @throws {HelperError} `usage` */
export function parseName(text: string): HostName {
  const [, below, host = '', port] =
    /^(\*\.)?(\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)*\.?)(?::(\d{1,5}))?$/i.exec(text) ?? []
  const url = host === '' ? null : URL.parse(`https://${host}`)
  if (url) return { host: normalizeHost(url.hostname), port, isBelow: below !== undefined }
  throw new HelperError(
    'usage',
    'for-host: one of them is not the name of a host',
    'write a name such as example.com, example.com:8443 or *.example.com, without a scheme and a path',
  )
}

function isSameServer({ host, port, isBelow }: HostName, server: AskedServer): boolean {
  const isPort = port === undefined ? server.isUsualPort : port === server.port
  return isPort && (isBelow ? server.host.endsWith(`.${host}`) : server.host === host)
}

/** Describes why a server gets no token that is asked for over plain HTTP. */
export function describePlainServer(host: string): string {
  return `${host} would get the token over plain http, which anybody on the network can read`
}
