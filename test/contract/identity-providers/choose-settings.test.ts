import { expect, test } from 'vitest'
import { chooseSettings, describeSettings } from '../../../src/contract/identity-providers/choose-settings.ts'
import { providerFamilies } from '../../../src/contract/identity-providers/detect-family.ts'
import { validateProvider } from '../../../src/contract/identity-providers/validate-provider.ts'

const issuers = {
  entra: 'https://login.microsoftonline.com/acme/v2.0',
  'entra-external': 'https://acme.ciamlogin.com/acme/v2.0',
  okta: 'https://acme.okta.com/oauth2/default',
  google: 'https://accounts.google.com',
  keycloak: 'https://id.example.com/realms/acme',
  auth0: 'https://acme.eu.auth0.com/',
  pingone: 'https://auth.pingone.eu/acme/as',
  adfs: 'https://sts.example.com/adfs',
  cognito: 'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_a',
  salesforce: 'https://acme.my.salesforce.com',
  other: 'https://id.example.com',
}

test.each(Object.entries(issuers))('the settings that are chosen for %s break none of its rules', (_, issuer) => {
  const settings = { issuer, ...chooseSettings({ issuer }), parameters: { access_type: 'offline', prompt: 'consent' } }
  const problems = validateProvider(settings, (setting) => setting)
  // That no setting changes.
  expect(problems.filter(({ code }) => code !== 'client-secret-needed')).toEqual([])
})

test.each<[family: keyof typeof issuers, chosen: ReturnType<typeof chooseSettings>]>([
  ['other', {}],
  ['keycloak', {}],
  ['entra', { redirectHost: 'localhost' }],
  ['google', { appendOfflineAccess: false }],
  ['adfs', { redirectPort: 28_400 }],
  ['cognito', { redirectHost: 'localhost', redirectPort: 28_400, appendOfflineAccess: false }],
])('for %s only what differs from the defaults is chosen: %j', (family, chosen) => {
  expect(chooseSettings({ issuer: issuers[family] })).toEqual(chosen)
})

test('the words on the registration come before the others', () => {
  const issuer = issuers.adfs
  expect(describeSettings({ issuer, clientId: 'desk', ...chooseSettings({ issuer }) })).toEqual([
    'register exactly http://127.0.0.1:28400/callback in the application group, as a redirect URI of the native application, for the client desk',
    'the token for the gateway: the access token, whose audience is the Web API that resource names',
    'whether AD FS gives a refresh token is set in the registration of the client',
  ])
})

test('the words on the API of Okta come after the other settings', () => {
  const okta = { issuer: issuers.okta, redirectPort: 8400, bearerTokenType: 'access_token' }
  expect(describeSettings(okta).at(-1)).toBe(
    'Okta names the API by the authorization server: its issuer ends in /oauth2/… and it has one audience',
  )
})

test('an unknown family has no words', () => {
  expect(describeSettings({ issuer: issuers.other })).toEqual([])
})

test.each(Object.entries(providerFamilies))(
  'the family %s has words for its registration and its token',
  (_, family) => {
    const words = [family.title, family.publicSetting, family.gatewayToken.why]
    expect(words.filter((text) => !/^\S.{2,}[^.]$/.test(text))).toEqual([])
  },
)
