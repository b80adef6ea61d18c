import { toSha256 } from '../../../runtime/digest.ts'
import { vendor } from '../../../vendor.ts'
import type { OidcSettings } from '../oidc/settings.ts'

/**
 * The name of a sign-in: a digest of everything that decides what a provider issues, and to whom. Whatever has the same name can
 * share a sign-in; how the browser comes back does not matter. Nor does it matter whether a refresh token is asked for: whoever no
 * longer does, and signs out, finds the one that is kept.
 */
export function nameSignIn(settings: OidcSettings): string {
  const { issuer, authorizationUrl, tokenUrl, clientId, bearerTokenType, resource } = settings
  const scopes = settings.scopes?.split(/\s+/).filter((scope) => scope !== 'offline_access' && scope !== '')
  const parameters = Object.entries(settings.parameters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  // With an issuer the addresses are not used.
  const provider = issuer === undefined ? [authorizationUrl, tokenUrl] : [issuer]
  const request = [clientId, bearerTokenType, scopes, resource, parameters]
  return toSha256(JSON.stringify(['sign-in', vendor.envPrefix, provider, request])).slice(0, 40)
}
