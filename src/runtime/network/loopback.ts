import { BlockList, isIP } from 'node:net'
import { HelperError } from '../failure.ts'

/**
 * Whether a host is this machine: `localhost` and names below it (RFC 6761, section 6.3), 127.0.0.0/8, `::1`, and these
 * addresses in IPv6 form (RFC 4291, section 2.5.5.2). 0.0.0.0 is none of them.
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

/** A host as a URL or a person writes it, in lower case, without brackets and final dot. */
export function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

/** The family of an IP address, as `node:net` names it. */
export function detectAddressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/**
 * Refuses plain `http` to another machine, because requests carry secrets.
 * @param setting The setting that holds the address, where it is known, for the hint.
 * @throws {HelperError} `not-configured` for `http` to another machine; nothing has been sent then.
 */
export function refusePlainHttp(
  { protocol, hostname }: { protocol: string; hostname: string },
  setting?: string,
): void {
  if (protocol === 'https:' || isLoopback(hostname)) return
  throw new HelperError(
    'not-configured',
    `${hostname} would be asked over plain http, which everybody on the way can read`,
    setting === undefined ? `write https:// in front of ${hostname}` : `write https:// into ${setting}`,
  )
}
