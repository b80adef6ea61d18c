import type { OidcSettings } from './settings.ts'

/** A provider as messages name it: its host, with a port that is not the usual one. */
export function describeProvider({ issuer, tokenUrl }: Pick<OidcSettings, 'issuer' | 'tokenUrl'>): string {
  const address = issuer ?? tokenUrl ?? ''
  return URL.canParse(address) ? new URL(address).host : 'the identity provider'
}
