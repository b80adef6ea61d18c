// Says which hosts and addresses a request or a secret may be sent to.

import { BlockList, isIP } from 'node:net'
import { HelperError } from '../failure.ts'

/**
 * Returns whether a host is this machine: `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8, `::1`, and these addresses
 * in IPv6 form (RFC 4291, section 2.5.5.2). 0.0.0.0 is not one of them.
 */
export function isLoopback(host: string): boolean {
  const name = normalizeHost(host)
  const version = isIP(name)
  if (version === 0) return name === 'localhost' || name.endsWith('.localhost')
  if (version === 4) return name.startsWith('127.')
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return loopback.check(name, 'ipv6')
}

/**
 * Returns whether the header `Host` of a request to loopback names this machine. A page whose name was made to resolve to loopback (DNS
 * rebinding) sends that name.
 */
export function isLoopbackHost(header = ''): boolean {
  const [, host = ''] = /^(.*?)(?::\d+)?$/.exec(header) ?? []
  return isLoopback(host)
}

/**
 * Returns whether nobody on the network can read or change a request to an address and its answer: the address is one of https, or of http
 * on this machine. A text that is not an address is not secure.
 */
export function isSecureAddress(address: string | URL): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : address
  return url?.protocol === 'https:' || (url !== null && isPlainLoopback(url))
}

/**
 * Validates an address for requests, and gives its first problem: `form` for a text that cannot be read as an address of http or https, `user`
 * for one with a user or a password, which would stand in every log; `undefined` if it has neither.
 */
export function validateWebAddress(url: URL | null): 'form' | 'user' | undefined {
  if (!isWebAddress(url)) return 'form'
  return url.username !== '' || url.password !== '' ? 'user' : undefined
}

/** Returns whether an address is one of http or https, which always names a host. */
export function isWebAddress(url: URL | null): url is URL {
  return url !== null && /^https?:$/.test(url.protocol)
}

/** The problem of a text that {@link validateWebAddress} or the parser of URLs refuses. */
export const unusableAddress = 'is not a web address that can be used'

/** Returns whether an address is one of http on this machine, where a trial needs no TLS. */
export function isPlainLoopback(address: string | URL): boolean {
  const url = typeof address === 'string' ? URL.parse(address) : address
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}

/** Normalizes a host from a URL or a person: lower case, without brackets and final dot. */
export function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

/** Detects the family of an IP address, by the words of `node:net`. */
export function detectAddressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/**
 * Refuses plain `http` to another machine, because requests carry secrets.
 * @param setting The setting with the address, if it is known, for the hint.
 * @throws {HelperError} `not-configured` for `http` to another machine; nothing has been sent then.
 */
export function refusePlainHttp(
  { protocol, hostname }: { protocol: string; hostname: string },
  setting?: string,
): void {
  if (protocol === 'https:' || isLoopback(hostname)) return
  throw new HelperError(
    'not-configured',
    `${hostname} would be asked over plain http, which anybody on the network can read`,
    setting === undefined ? `write https:// in front of ${hostname}` : `write https:// into ${setting}`,
  )
}

/**
 * The hosts that a request may reach: `any-host` over `https`, or `metadata`, which also allows plain `http` to the machine's own
 * metadata service. That service accepts a connection at once, or does not exist.
 */
export type NetworkScope = 'any-host' | 'metadata'

/** The address of the metadata service on a machine of AWS, Azure or Google Cloud, as each of them documents it. */
export const metadataAddress = '169.254.169.254'

/**
 * Returns whether a host is a metadata service of a cloud: link-local addresses (RFC 3927, RFC 4291), the IPv6 addresses of AWS and Google,
 * and Google's name.
 */
export function isMetadataHost(host: string): boolean {
  const name = normalizeHost(host)
  if (isIP(name) === 0) return name === 'metadata.google.internal'
  const metadata = new BlockList()
  metadata.addSubnet('169.254.0.0', 16, 'ipv4')
  metadata.addSubnet('fe80::', 10, 'ipv6')
  for (const address of ['fd00:ec2::23', 'fd00:ec2::254', 'fd20:ce::254']) metadata.addAddress(address, 'ipv6')
  return metadata.check(name, detectAddressFamily(name))
}
