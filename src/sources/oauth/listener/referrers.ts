import { normalizeHost } from '../../../runtime/network/loopback.ts'

/**
 * The hosts from whose pages the browser may come back: the provider's own hosts and the additional ones.
 * @param addresses The issuer and the authorization endpoint; a text that is not a URL is left out.
 */
export function listReferrers(addresses: readonly (string | undefined)[], more: readonly string[]): string[] {
  const own = addresses.map((address) => URL.parse(address ?? '')?.hostname ?? '')
  return [...new Set([...own, ...more].map(normalizeHost))].filter((host) => host !== '')
}
