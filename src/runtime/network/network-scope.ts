import { BlockList, isIP } from 'node:net'
import { detectAddressFamily, normalizeHost } from './loopback.ts'

/**
 * Whom a request may reach: anybody, over `https`; or, plainly too, the metadata service that a machine has beside it,
 * which either answers at once or is not there.
 */
export type NetworkScope = 'any-host' | 'metadata'

/** Where clouds put their metadata services: addresses that no router passes on, AWS's and Google's for IPv6, Google's name. */
export function isMetadataHost(host: string): boolean {
  const name = normalizeHost(host)
  if (isIP(name) === 0) return name === 'metadata.google.internal'
  const near = new BlockList()
  near.addSubnet('169.254.0.0', 16, 'ipv4')
  near.addSubnet('fe80::', 10, 'ipv6')
  for (const address of ['fd00:ec2::254', 'fd20:ce::254']) near.addAddress(address, 'ipv6')
  return near.check(name, detectAddressFamily(name))
}
