import type { OidcSettings } from './settings.ts'

/**
 * The scope that is asked for: what is set, in its order; `openid` where an ID token is wanted, without which no provider issues
 * one (OpenID Connect Core, section 3.1.2.1); and `offline_access` where that is to be appended (section 11).
 */
export function computeScope({ bearerTokenType, scopes = '', appendOfflineAccess }: ScopeSettings): string {
  const names = [
    ...(bearerTokenType === 'id_token' ? ['openid'] : []),
    ...scopes.split(/\s+/).filter(Boolean),
    ...(appendOfflineAccess ? ['offline_access'] : []),
  ]
  return [...new Set(names)].join(' ')
}

/** The scope as a parameter of a request; none where nothing is asked for (RFC 6749, section 3.3). */
export function toScope(settings: ScopeSettings): { scope?: string } {
  const scope = computeScope(settings)
  return scope === '' ? {} : { scope }
}

type ScopeSettings = Pick<OidcSettings, 'bearerTokenType' | 'scopes' | 'appendOfflineAccess'>
