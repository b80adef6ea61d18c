import { BlockList, isIP } from 'node:net'
import { HelperError } from '../failure.ts'

/** Whether a host is this machine itself: `localhost` and what is below it (RFC 6761), 127.0.0.0/8 and ::1. */
export function isLoopback(host: string): boolean {
  const name = normalizeHost(host)
  if (isIP(name) === 0) return name === 'localhost' || name.endsWith('.localhost')
  const own = new BlockList()
  own.addSubnet('127.0.0.0', 8, 'ipv4')
  own.addAddress('::1', 'ipv6')
  return own.check(name, detectAddressFamily(name))
}

/** A host as a URL or a person writes it, without brackets, final dot and case. */
export function normalizeHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}

export function detectAddressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/**
 * Everybody on the way reads plain `http`, and what we send is or buys a secret.
 * @param setting Where the address stands, where that is known, for the hint.
 * @throws {HelperError} `not-configured` for `http` to another machine; nothing has been sent then.
 */
export function requireHttps({ protocol, hostname }: { protocol: string; hostname: string }, setting?: string): void {
  if (protocol === 'https:' || isLoopback(hostname)) return
  throw new HelperError(
    'not-configured',
    `${hostname} would be asked over plain http, which everybody on the way can read`,
    setting === undefined ? `write https:// in front of ${hostname}` : `write https:// into ${setting}`,
  )
}
