import { expect, test } from 'vitest'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/oidc-settings.ts'
import { describeRemedy } from '../../../src/sources/oidc-token/missing-refresh-token.ts'
import { plainSettings } from '../oauth/oidc/oidc-bench.ts'

const consent = ', without which many providers ignore offline_access, and sign in again'
const acme = 'https://id.acme.example'

test.each<[what: string, settings: Partial<OidcSettings>, way: string, isAppended?: boolean]>([
  ['an unknown provider', { issuer: acme }, `set authorization-parameter to prompt=consent${consent}`],
  [
    'one that asks for an account already',
    { issuer: acme, parameters: { prompt: 'select_account' } },
    `set authorization-parameter to prompt=select_account consent${consent}`,
  ],
  [
    'one that asks for consent already',
    { issuer: acme, parameters: { prompt: 'login consent' } },
    'have the provider give this client refresh tokens, and sign in again',
  ],
  [
    'one that is asked by a scope that is set',
    { issuer: acme, appendOfflineAccess: false, scopes: 'openid offline_access' },
    `set authorization-parameter to prompt=consent${consent}`,
  ],
  [
    'one that is not asked',
    { issuer: acme, appendOfflineAccess: false },
    'set append-offline-access to true, and sign in again',
    false,
  ],
  [
    'a provider that needs no consent',
    { issuer: 'https://acme.okta.com' },
    'have Okta give this client refresh tokens, and sign in again',
  ],
  [
    'Google, which has a parameter of its own',
    { issuer: 'https://accounts.google.com', appendOfflineAccess: false },
    'set authorization-parameter to access_type=offline and prompt=consent, and sign in again',
    false,
  ],
])('the remedy for a missing refresh token is that of the provider: %s', (_, more, way, isAppended = true) => {
  const options = { 'refresh-token-store': 'file', 'append-offline-access': isAppended } as const
  expect(describeRemedy({ ...plainSettings(), ...more }, options)).toBe(
    `it is not renewed, because the sign-in has no refresh token; ${way}`,
  )
})
