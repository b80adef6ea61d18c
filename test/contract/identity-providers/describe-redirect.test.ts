import { expect, test } from 'vitest'
import {
  describeRedirect,
  describeUnfinished,
  type RedirectSettings,
} from '../../../src/contract/identity-providers/describe-redirect.ts'

const entra = { issuer: 'https://login.microsoftonline.com/acme/v2.0', clientId: 'desk' }
const okta = { issuer: 'https://acme.okta.com/oauth2/default', clientId: 'desk' }
const google = { issuer: 'https://accounts.google.com', clientId: 'desk' }
const inEntra =
  'in its app registration, under Authentication, on the platform "Mobile and desktop applications", for the client desk'
const inOkta = 'in the application, under General, as a "Sign-in redirect URI", for the client desk'

test.each<[settings: RedirectSettings, uri: string | undefined, text: string]>([
  [
    entra,
    'http://localhost/callback',
    `register exactly http://localhost/callback ${inEntra}; without a port, because every port is allowed`,
  ],
  [
    { ...entra, redirectHost: '127.0.0.1', redirectPort: 8400, redirectPath: '/a' },
    'http://127.0.0.1/a',
    `register exactly http://127.0.0.1/a ${inEntra}`,
  ],
  [okta, undefined, `choose a fixed port for the redirect, and register http://127.0.0.1:PORT/callback ${inOkta}`],
  [
    { ...okta, redirectHost: 'localhost', redirectPort: 8400 },
    'http://localhost:8400/callback',
    `register exactly http://localhost:8400/callback ${inOkta}`,
  ],
  [
    google,
    undefined,
    'create a client of the type "Desktop app"; it needs no redirect URI: every port of this machine is allowed',
  ],
  [
    { authorizationUrl: 'https://id.example/authorize', tokenUrl: 'https://id.example/token' },
    'http://127.0.0.1/callback',
    'register exactly http://127.0.0.1/callback in the registration of the client; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it',
  ],
])('the redirect URI of %j is described for its provider', (settings, uri, text) => {
  expect(describeRedirect(settings)).toEqual(uri === undefined ? { text } : { uri, text })
})

test('the hint for a browser that never came back names the page to look for', () => {
  expect(describeUnfinished({ ...okta, redirectPort: 8400 })).toBe(
    `start again, which begins a new one; if Okta shows "redirect_uri must be a Login redirect URI in the client app settings", tell your administrator: register exactly http://127.0.0.1:8400/callback ${inOkta}`,
  )
})
