import type { Oidc } from '../../config/document.ts'
import type { OidcSettings } from '../../sources/oauth/oidc/settings.ts'

/** What a document says of its provider, with the defaults of the field table; `undefined` where nobody could sign in with it. */
export function toOidcSettings(oidc: Oidc): OidcSettings | undefined {
  const { clientId, issuer, additionalRedirectReferrerHosts, ...rest } = oidc
  // Where both are set, the issuer is used.
  const { authorizationUrl, tokenUrl, ...others } = rest
  const hasUrls = authorizationUrl !== undefined && tokenUrl !== undefined
  if (clientId === undefined || (issuer === undefined && !hasUrls)) return undefined
  return {
    ...others,
    clientId,
    ...(issuer === undefined ? { authorizationUrl, tokenUrl } : { issuer }),
    bearerTokenType: oidc.bearerTokenType ?? 'id_token',
    appendOfflineAccess: oidc.appendOfflineAccess ?? true,
    redirectHost: oidc.redirectHost ?? '127.0.0.1',
    additionalRedirectReferrerHosts: additionalRedirectReferrerHosts?.split(/\s+/).filter(Boolean) ?? [],
  }
}

/** Where the person signs in, for people: the issuer, or without one the address of the sign-in page. */
export function nameProvider({ issuer, authorizationUrl }: Pick<OidcSettings, 'issuer' | 'authorizationUrl'>): string {
  return issuer ?? authorizationUrl ?? ''
}
