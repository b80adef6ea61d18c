import { digestFingerprint } from '../../../runtime/files/fingerprint.ts'
import { vendor } from '../../../vendor.ts'
import type { OidcSettings } from '../oidc/oidc-settings.ts'

/**
 * Renders everything that decides what a provider issues, and to whom, as JSON. Settings with equal inputs share a sign-in. The redirect URI
 * and the request for a refresh token are not included: after that option has changed, a sign-out still finds the stored token. The
 * vendor's prefix separates the sign-ins of two clients.
 */
export function toSignInInputs(settings: OidcSettings): string {
  const { issuer, authorizationUrl, tokenUrl, clientId, bearerTokenType, resource } = settings
  const scopes = settings.scopes?.split(/\s+/).filter((scope) => scope !== 'offline_access' && scope !== '')
  const parameters = Object.entries(settings.parameters ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))
  // The addresses are not used if there is an issuer.
  const provider = issuer === undefined ? [authorizationUrl, tokenUrl] : [issuer]
  return JSON.stringify([vendor.envPrefix, provider, clientId, bearerTokenType, scopes, resource, parameters])
}

/** Computes the name of a sign-in: the digest of its inputs, then their length, in 40 hexadecimal digits, as for an entry of the cache. */
export function nameSignIn(settings: OidcSettings): string {
  const text = toSignInInputs(settings)
  return `${digestFingerprint(text)}${text.length.toString(16).padStart(8, '0')}`
}
