import { expect, test } from 'vitest'
import type { ProviderSettings } from '../../../src/contract/identity-providers/provider-settings.ts'
import { describeSignIns, validateRenewal } from '../../../src/contract/identity-providers/renewal.ts'

const entra = 'https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0'
const okta = 'https://acme.okta.com/oauth2/default'
const auth0 = 'https://acme.eu.auth0.com/'
const codeOf = (settings: ProviderSettings) => validateRenewal(settings, (name) => name)?.code

test.each<[ProviderSettings, times: string, why: string]>([
  [
    { issuer: entra, bearerTokenType: 'access_token' },
    '6 to 8 times',
    'because access tokens of Microsoft Entra ID live 60 to 90 min unless that is changed',
  ],
  [{ issuer: okta }, '8 times', 'because ID tokens of Okta live 60 min unless that is changed'],
  [{ issuer: auth0 }, 'once', 'because ID tokens of Auth0 live 600 min unless that is changed'],
  [{ issuer: 'https://id.example' }, '8 times', 'if it lives an hour, as is usual'],
  // A renewal that was seen here tells more than what a provider does by default.
  [{ issuer: okta, tokenLifeSec: 5_399.6 }, '6 times', 'because the last token on this machine lived 90 min'],
  [{ issuer: okta, tokenLifeSec: 20 }, '480 times', 'because the last token on this machine lived 1 min'],
  // The life of the provider's token says nothing of that of another service.
  [{ issuer: okta, isExchanged: true }, '8 times', 'if it lives an hour, as is usual'],
])('a person with %j signs in %s a day, %s', (settings, times, why) => {
  expect(describeSignIns(settings)).toBe(`${times} in a working day of 8 hours, ${why}`)
})

test.each<[ProviderSettings, string | undefined]>([
  [{ issuer: okta }, undefined],
  [{ issuer: okta, keepsRefreshToken: true }, undefined],
  [{ issuer: okta, keepsRefreshToken: false }, 'refresh-token-not-kept'],
  // A token that outlives the day asks nobody in the middle of it.
  [{ issuer: auth0, keepsRefreshToken: false }, undefined],
  [{ issuer: auth0, keepsRefreshToken: false, tokenLifeSec: 3600 }, 'refresh-token-not-kept'],
  [{ issuer: okta, keepsRefreshToken: false, tokenLifeSec: 36_000 }, undefined],
  [{ issuer: okta, appendOfflineAccess: false }, 'offline-access-off'],
  [{ issuer: okta, appendOfflineAccess: false, scopes: 'openid offline_access' }, undefined],
  // Google takes no such scope.
  [{ issuer: 'https://accounts.google.com', appendOfflineAccess: false }, undefined],
])('the finding about %j is %s', (settings, expected) => {
  expect(codeOf(settings)).toBe(expected)
})
