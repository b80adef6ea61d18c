import { Secret } from '../../../../src/runtime/secret.ts'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import type { StoredSignIn } from '../../../../src/sources/oauth/store/sign-in-store.ts'

/** When the sign-in was made. */
const since = Date.UTC(2026, 0, 15, 12)

/** A made-up provider. */
export const settings: OidcSettings = {
  clientId: 'desktop',
  issuer: 'https://login.example',
  bearerTokenType: 'id_token',
  appendOfflineAccess: true,
  redirectHost: '127.0.0.1',
  additionalRedirectReferrerHosts: [],
}

/** Returns a sign-in whose tokens say the number of their renewal, and live an hour. */
export function toSignIn(number = 1, id = 'one'): StoredSignIn {
  return {
    id,
    since,
    renewedAt: since,
    subject: 'dana',
    tokens: {
      idToken: new Secret(`id-${number}`),
      accessToken: new Secret(`access-${number}`),
      refreshToken: new Secret(`refresh-${number}`),
      expiresAt: new Date(since + 3_600_000),
      clockOffsetMs: -1_500,
      scope: 'openid',
    },
  }
}
