import type { AnswerExchange } from './token-exchange.ts'

/** The settings that a test gives the provider. Everything has a default. */
export interface ProviderSettings {
  /** The host in the issuer; `localhost` makes the provider a site other than a listener on 127.0.0.1. */
  readonly host?: '127.0.0.1' | 'localhost'
  /** The address under which a front shows it, with TLS; its path is left out by the endpoints of the stand-in itself. */
  readonly issuer?: string
  /** The identifier of the public client. */
  readonly clientId?: string
  /** Without one the client is public. */
  readonly clientSecret?: { readonly value: string; readonly sent: 'basic' | 'post' }
  readonly redirectUris?: readonly string[]
  /** `web` for a client that is a server: its redirect URIs are https addresses. */
  readonly applicationType?: 'native' | 'web'
  readonly redirectRule?: RedirectRule
  /** Their names and passwords; the name is `sub` too. */
  readonly people?: Readonly<Record<string, string>>
  /** `asked` in every sign-in, or `given` by an administrator for all. */
  readonly consent?: 'asked' | 'given'
  readonly rotatesRefreshTokens?: boolean
  /** In seconds, for how long a refresh token that was used is taken once more, as with a grace period of Okta or Auth0; 0 otherwise. */
  readonly graceSec?: number
  /** When there is a refresh token: for the scope `offline_access`; for that with `prompt=consent` alone; always; never. */
  readonly refreshTokens?: 'scope' | 'scope and prompt' | 'always' | 'never'
  readonly pushedRequests?: 'offered' | 'required' | 'none'
  readonly deviceGrant?: boolean
  /** The resources of RFC 8707 with their scopes; the access token for one is a JWT, any other is opaque. */
  readonly resources?: Readonly<Record<string, string>>
  /** The one of them that a request without `resource` is for. */
  readonly defaultResource?: string
  /** The `aud` of access tokens for a resource, where it is not the resource itself. */
  readonly audience?: string
  readonly lifeSec?: Partial<Lives>
  /** Answers token exchanges of the public client (RFC 8693); without it there are none. */
  readonly exchange?: AnswerExchange
}

/** How a redirect URI is compared with the registered ones. */
export type RedirectRule = 'exact' | 'any port' | 'any port of 127.0.0.1' | 'any port and path'

/** In seconds. */
interface Lives {
  readonly accessToken: number
  readonly idToken: number
  readonly refreshToken: number
  readonly code: number
  readonly deviceCode: number
}

export type CompleteSettings = Required<
  Omit<ProviderSettings, 'issuer' | 'clientSecret' | 'defaultResource' | 'audience' | 'lifeSec' | 'exchange'>
> & {
  readonly issuer?: string
  readonly clientSecret?: ProviderSettings['clientSecret']
  readonly defaultResource?: string
  readonly audience?: string
  readonly exchange?: AnswerExchange
  readonly lifeSec: Lives
}

/** The person whom a test does not choose. */
export const alice = { name: 'alice', password: 'correct-horse' } as const

export function completeSettings(settings: ProviderSettings): CompleteSettings {
  return {
    host: '127.0.0.1',
    clientId: 'gatepass',
    redirectRule: 'any port and path',
    consent: 'asked',
    applicationType: 'native',
    redirectUris: ['http://127.0.0.1/oauth/callback', 'http://localhost/oauth/callback'],
    people: { [alice.name]: alice.password, bob: 'battery-staple' },
    rotatesRefreshTokens: true,
    graceSec: 0,
    refreshTokens: 'scope',
    pushedRequests: 'offered',
    deviceGrant: true,
    resources: {},
    ...settings,
    lifeSec: { accessToken: 600, idToken: 600, refreshToken: 3600, code: 60, deviceCode: 600, ...settings.lifeSec },
  }
}

/** Returns whether a provider with this rule redirects to the URI. */
export function isRedirectAllowed(uri: string, { redirectRule, redirectUris }: CompleteSettings): boolean {
  if (redirectUris.includes(uri)) return true
  if (!URL.canParse(uri)) return false
  const { protocol, hostname, pathname, search } = new URL(uri)
  const isOfLoopback = protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
  if (!isOfLoopback || redirectRule === 'exact') return false
  if (redirectRule === 'any port of 127.0.0.1' && hostname !== '127.0.0.1') return false
  return redirectUris.some((registered) => {
    const other = new URL(registered)
    const isSamePath = redirectRule === 'any port and path' || other.pathname + other.search === pathname + search
    return other.hostname === hostname && isSamePath
  })
}
