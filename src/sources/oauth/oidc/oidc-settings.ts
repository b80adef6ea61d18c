import type { BearerTokenType, RedirectHost } from '../../../contract/oauth-names.ts'

/**
 * An OpenID provider, and the registration of a client with it, which is public unless a secret is set: the members of the document's
 * `oidc` object, with their defaults applied, and the additional options of helpers.
 */
export interface OidcSettings {
  readonly clientId: string
  /** A file with the client's secret, for a client that is not public: Google requires the secret of a desktop client. */
  readonly clientSecretFile?: string | undefined
  /** How the secret is sent; absent: the provider's metadata decides. */
  readonly clientAuth?: 'basic' | 'post' | undefined
  /** The issuer, for discovery (OpenID Connect Discovery 1.0); absent: both URLs are set. */
  readonly issuer?: string | undefined
  readonly authorizationUrl?: string | undefined
  readonly tokenUrl?: string | undefined
  /** The device authorization endpoint, for `--sign-in device` without discovery (RFC 8628, section 3.1). */
  readonly deviceAuthorizationUrl?: string | undefined
  /** The revocation endpoint, for signing out without discovery (RFC 7009). */
  readonly revocationUrl?: string | undefined
  /** The kind of token that the gateway gets. */
  readonly bearerTokenType: BearerTokenType
  /** The scopes, separated by spaces. */
  readonly scopes?: string | undefined
  readonly appendOfflineAccess: boolean
  /** The resource indicator, which is sent with the authorization request and every token request (RFC 8707). */
  readonly resource?: string | undefined
  readonly redirectPort?: number | undefined
  readonly redirectHost: RedirectHost
  /** A fixed path, for a provider that compares it; by default a path with a random segment, if the provider allows that. */
  readonly redirectPath?: string | undefined
  /** Hosts from which the browser may come back, besides the provider's own. */
  readonly additionalRedirectReferrerHosts: readonly string[]
  /** How the provider returns its answer (OAuth 2.0 Form Post Response Mode). */
  readonly responseMode?: 'query' | 'form_post' | undefined
  /** More parameters of the authorization request, such as `access_type` or `login_hint`. */
  readonly parameters?: Readonly<Record<string, string>> | undefined
}

/**
 * Computes the scope to request: `openid` if an ID token is expected, because no provider issues one without it (OpenID Connect Core,
 * section 3.1.2.1); the configured scopes in their order; and `offline_access` if it should be appended (section 11).
 */
export function computeScope({ bearerTokenType, scopes = '', appendOfflineAccess }: ScopeSettings): string {
  const names = [
    ...(bearerTokenType === 'id_token' ? ['openid'] : []),
    ...scopes.split(/\s+/).filter(Boolean),
    ...(appendOfflineAccess ? ['offline_access'] : []),
  ]
  return [...new Set(names)].join(' ')
}

/** Renders the scope as a request parameter, which is absent if the scope is empty (RFC 6749, section 3.3). */
export function toScope(settings: ScopeSettings): { scope?: string } {
  const scope = computeScope(settings)
  return scope === '' ? {} : { scope }
}

type ScopeSettings = Pick<OidcSettings, 'bearerTokenType' | 'scopes' | 'appendOfflineAccess'>
