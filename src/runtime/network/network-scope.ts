import { BlockList, isIP } from 'node:net'
import { detectAddressFamily, normalizeHost } from './loopback.ts'

/**
 * Which hosts a request may reach: `any-host` over `https`, or `metadata`, where plain `http` to the machine's own metadata
 * service is allowed too, which accepts a connection at once or does not exist.
 */
export type NetworkScope = 'any-host' | 'metadata'

/**
 * Whether a host is where clouds have their metadata services: link-local addresses (RFC 3927, RFC 4291), those of AWS and Google
 * for IPv6, and Google's name.
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
