import { digestFingerprint } from '../../../runtime/private/fingerprint.ts'
import { vendor } from '../../../vendor.ts'
import type { OidcSettings } from '../oidc/settings.ts'

/**
 * Everything that decides what a provider issues, and to whom, as JSON. Whatever has the same can share a sign-in; how the browser
 * comes back does not matter. Of the vendor's names, the prefix keeps apart what is for two clients; a provider sees no other. Nor does it matter whether a refresh token is asked for: whoever no longer does, and signs out,
 * finds the one that is kept.
 */
export function toSignInInputs(settings: OidcSettings): string {
  const { issuer, authorizationUrl, tokenUrl, clientId, bearerTokenType, resource } = settings
  const scopes = settings.scopes?.split(/\s+/).filter((scope) => scope !== 'offline_access' && scope !== '')
  const parameters = Object.entries(settings.parameters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  // With an issuer the addresses are not used.
  const provider = issuer === undefined ? [authorizationUrl, tokenUrl] : [issuer]
  return JSON.stringify([vendor.envPrefix, provider, clientId, bearerTokenType, scopes, resource, parameters])
}

/** The name of a sign-in: a digest of its inputs with their length, 40 hexadecimal digits, as for an entry of the cache. */
export function nameSignIn(settings: OidcSettings): string {
  const text = toSignInInputs(settings)
  return `${digestFingerprint(text)}${text.length.toString(16).padStart(8, '0')}`
}
