/**
 * The hosts from whose pages the browser may come back: the provider's own, and those that are listed besides.
 * @param addresses The issuer and the authorization endpoint; what is no URL is left out.
 */
export function listReferrers(addresses: readonly (string | undefined)[], more: readonly string[]): string[] {
  const own = addresses.map((address) => URL.parse(address ?? '')?.hostname ?? '')
  return [...new Set([...own, ...more].map(normalizeHost))].filter((host) => host !== '')
}

/** In lower case, without the dot that may end a name. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
