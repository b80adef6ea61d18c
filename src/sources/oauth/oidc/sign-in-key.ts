import { computeScope } from './compute-scope.ts'
import type { OidcSettings } from './settings.ts'

/**
 * What makes two sign-ins the same, as JSON: the provider, the client, what is asked for, and what the person is asked. How the
 * browser comes back is no part of it.
 */
export function toSignInKey(settings: OidcSettings): string {
  const { issuer, authorizationUrl, tokenUrl, clientId, resource, parameters = {} } = settings
  const provider = issuer === undefined ? [authorizationUrl, tokenUrl] : [issuer]
  const more = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(['oidc', provider, clientId, computeScope(settings), resource ?? null, more])
}
