import { expect, test } from 'vitest'
import { entraReasons } from '../../../../../src/sources/oauth/oidc/refusals/entra-reasons.ts'
import { explainRefusal } from '../../../../../src/sources/oauth/oidc/refusals/explain-refusal.ts'
import type { ProviderRefusal, RefusalContext } from '../../../../../src/sources/oauth/oidc/refusals/refusal.ts'
import { standardReasons } from '../../../../../src/sources/oauth/oidc/refusals/standard-reasons.ts'

const issuers = {
  entra: 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0',
  okta: 'https://acme.okta.com/oauth2/default',
  google: 'https://accounts.google.com',
  keycloak: 'https://id.example.com/realms/acme',
  auth0: 'https://acme.eu.auth0.com/',
  adfs: 'https://sts.example.com/adfs',
  other: 'https://id.example.com',
}

const explain = (
  refusal: ProviderRefusal,
  issuer: keyof typeof issuers = 'other',
  more: Partial<RefusalContext> = {},
) => {
  const redirectUri = 'http://localhost:49152/callback'
  const context = { issuer: issuers[issuer], clientId: 'desk', redirectUri, subject: 'Acme', ...more }
  const { kind, message, hint } = explainRefusal(refusal, context)
  return { kind, message, hint }
}

type Case = readonly [
  refusal: Omit<ProviderRefusal, 'where'> & Partial<ProviderRefusal> & { readonly issuer?: keyof typeof issuers },
  ...outcome: readonly [string, string, string],
]

const newSession = 'start a new session, so that a person can sign in'
const report = 'start again, which begins a new sign-in; if it fails again, report this to whoever runs the provider'
const logs =
  'ask an administrator, who sees the reason under this code in the sign-in logs of the Microsoft Entra admin center'
const redirectAtEntra =
  'tell your administrator: register exactly http://localhost/callback in its app registration, under Authentication, on the platform "Mobile and desktop applications", for the client desk'

test.each<Case>([
  // RFC 6749
  [
    { error: 'access_denied', where: 'callback' },
    'refused',
    'the sign-in to Acme was denied in the browser',
    'start again, and allow it there',
  ],
  [{ error: 'invalid_grant' }, 'sign-in-required', 'the sign-in to Acme has ended (invalid_grant)', newSession],
  [
    { error: 'invalid_grant', grant: 'authorization_code' },
    'refused',
    'the sign-in to Acme cannot be completed: its code has expired or was used (invalid_grant)',
    'start again, which begins a new sign-in',
  ],
  [
    { issuer: 'keycloak', error: 'invalid_client' },
    'not-configured',
    'the sign-in to Acme names a client that the provider does not know, or that has to use a secret (invalid_client)',
    'tell your administrator: correct the client ID; in the client, under Settings, switch "Client authentication" off',
  ],
  [
    { error: 'temporarily_unavailable', where: 'callback' },
    'unavailable',
    'the sign-in to Acme cannot be completed now: the provider is busy (temporarily_unavailable)',
    'try again in a moment',
  ],
  [
    { error: 'invalid_grant', status: 503 },
    'unavailable',
    'the sign-in to Acme cannot be completed now: the provider is busy or broken, HTTP 503 (invalid_grant)',
    'try again in a moment',
  ],
  // RFC 8628, RFC 8707, RFC 7009
  [
    { error: 'expired_token', grant: 'device_code' },
    'refused',
    'the sign-in to Acme took too long: the code has expired (expired_token)',
    'start again, which gives a new code',
  ],
  [
    { issuer: 'auth0', error: 'invalid_target', where: 'par' },
    'not-configured',
    'the sign-in to Acme asks for a resource that the provider does not have, or not for this client (invalid_target)',
    'tell your administrator: correct resource, or remove it: this provider goes by the parameter audience of the authorization request',
  ],
  [
    { error: 'unsupported_token_type', where: 'revocation' },
    'refused',
    'the sign-out from Acme ends nothing there: the provider revokes no token of this kind (unsupported_token_type)',
    'end the session at the provider, on its page of sessions',
  ],
  // Entra ID
  [
    {
      issuer: 'entra',
      error: 'access_denied',
      description: 'AADSTS53003: Access has been blocked.',
      where: 'callback',
    },
    'refused',
    'the sign-in to Acme was blocked by a Conditional Access policy of the organization (AADSTS53003)',
    logs,
  ],
  [
    {
      issuer: 'entra',
      error: 'access_denied',
      description: 'AADSTS53003: Access has been blocked.',
      grant: 'device_code',
    },
    'refused',
    'the sign-in to Acme was blocked by a Conditional Access policy of the organization (AADSTS53003)',
    'sign in with a browser on this machine: --sign-in browser',
  ],
  [
    { issuer: 'entra', error: 'interaction_required', description: 'AADSTS50076: Due to a configuration change …' },
    'sign-in-required',
    'the sign-in to Acme needs a second factor (AADSTS50076)',
    newSession,
  ],
  [
    {
      issuer: 'entra',
      error: 'invalid_request',
      description: "AADSTS50011: The redirect URI 'http://localhost:49152/callback' …",
      where: 'callback',
    },
    'not-configured',
    'the sign-in to Acme names a redirect URI that is not registered (AADSTS50011)',
    redirectAtEntra,
  ],
  [
    {
      issuer: 'entra',
      error: 'invalid_client',
      description: "AADSTS7000218: The request body must contain 'client_assertion' or 'client_secret'.",
    },
    'not-configured',
    'the sign-in to Acme was refused, because the client is registered as one with a secret (AADSTS7000218)',
    'tell your administrator: in its app registration, under Authentication, set "Allow public client flows" to Yes',
  ],
  [
    {
      issuer: 'entra',
      error: 'invalid_grant',
      description: 'AADSTS700082: The refresh token has expired due to inactivity.',
    },
    'sign-in-required',
    'the sign-in to Acme has ended, because nobody used it for too long (AADSTS700082)',
    newSession,
  ],
  [
    {
      issuer: 'entra',
      error: 'invalid_request',
      description: 'AADSTS9002327: Tokens issued for …',
      grant: 'authorization_code',
    },
    'not-configured',
    'the sign-in to Acme uses a redirect URI that is registered for a single-page application (AADSTS9002327)',
    'tell your administrator: in the app registration, under Authentication, move it to the platform "Mobile and desktop applications"',
  ],
  [
    { issuer: 'entra', error: 'invalid_grant', description: 'AADSTS1234567: Something new.' },
    'sign-in-required',
    'the sign-in to Acme cannot be renewed (AADSTS1234567); it says: AADSTS1234567: Something new',
    'look up what it means: https://login.microsoftonline.com/error?code=1234567',
  ],
  // Others
  [
    {
      issuer: 'okta',
      error: 'invalid_request',
      description: "The 'redirect_uri' parameter must be a Login redirect URI in the client app settings: https://…",
      where: 'par',
    },
    'not-configured',
    'the sign-in to Acme names a redirect URI that is not registered (invalid_request)',
    'tell your administrator: register exactly http://localhost:49152/callback in the application, under General, as a "Sign-in redirect URI", for the client desk',
  ],
  [
    {
      issuer: 'okta',
      error: 'access_denied',
      description: 'User is not assigned to the client application.',
      where: 'callback',
    },
    'refused',
    'the sign-in to Acme is for people who are assigned to the application',
    'have an administrator assign the person: application, Assignments',
  ],
  [
    { issuer: 'google', error: 'redirect_uri_mismatch', grant: 'authorization_code' },
    'not-configured',
    'the sign-in to Acme names a redirect URI that is not registered (redirect_uri_mismatch)',
    'tell your administrator: create a client of the type "Desktop app", which needs no redirect URI, and use its ID',
  ],
  [
    { issuer: 'google', error: 'invalid_grant', description: 'reauth related error (invalid_rapt)' },
    'sign-in-required',
    'the sign-in to Acme has ended, because the organization asks for a sign-in from time to time (invalid_grant)',
    newSession,
  ],
  [
    { issuer: 'keycloak', error: 'invalid_grant', description: 'Maximum allowed refresh token reuse exceeded' },
    'sign-in-required',
    'the sign-in to Acme has ended, because its refresh token was used twice, by another program or a copy of the store (invalid_grant)',
    newSession,
  ],
  [
    {
      issuer: 'auth0',
      error: 'unauthorized_client',
      description: "Grant type 'authorization_code' not allowed for the client.",
      grant: 'authorization_code',
    },
    'not-configured',
    'the sign-in to Acme uses a grant that the application does not allow (unauthorized_client)',
    'tell your administrator: allow it in the application: Settings, Advanced, Grant Types',
  ],
  [
    {
      issuer: 'adfs',
      error: 'invalid_resource',
      description: 'MSIS9602: The received resource parameter is invalid.',
      grant: 'authorization_code',
    },
    'not-configured',
    'the sign-in to Acme names a resource that AD FS does not have (MSIS9602)',
    'tell your administrator: set resource to an identifier of the Web API in the application group',
  ],
  // Unknown
  [
    {
      error: 'quota',
      description: 'too\r\nmany \u001b[31mtokens eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijklmnop.',
    },
    'refused',
    'the sign-in to Acme cannot be renewed (quota); it says: too many \\u001b[31mtokens […]',
    report,
  ],
  [
    { error: 'quota', description: 'call +1 555 0100', where: 'callback' },
    'refused',
    'the sign-in to Acme was refused by the provider (quota)',
    report,
  ],
  [
    { error: 'call +1 555 0100', where: 'callback' },
    'refused',
    'the sign-in to Acme was refused by the provider',
    report,
  ],
])('%j is %s: %s', ({ issuer, ...refusal }, kind, message, hint) => {
  expect(explain({ where: 'token', ...refusal }, issuer)).toEqual({ kind, message, hint })
})

const ofEntra = [...entraReasons.keys()].map((number) => ({ error: 'x', description: `AADSTS${number}: y` }))
const codes = [...[...standardReasons.keys()].map((error) => ({ error, description: undefined })), ...ofEntra]
const explained = codes.flatMap((code) =>
  (['callback', 'token', 'device', 'par', 'revocation'] as const).map((where) => {
    const { kind, message, hint } = explain({ ...code, where }, 'entra')
    return { ...code, where, kind, message, hint }
  }),
)

test('every code has words and a way out', () => {
  const forms = [/^the sign-(in to|out from) Acme [a-z][^\n]{5,200}$/, /^[a-z][^\n]{8,220}[^.]$/] as const
  const others = explained.filter(({ message, hint }) => !forms[0].test(message) || !forms[1].test(hint))
  expect({ areMany: codes.length > 100, others }).toEqual({ areMany: true, others: [] })
})

test('no code in a sign-in under way asks for another one', () => {
  expect(explained.filter(({ where, kind }) => where !== 'token' && kind === 'sign-in-required')).toEqual([])
})

test('words of a provider are bounded', () => {
  const { message } = explain({ error: 'x', description: 'no '.repeat(500), where: 'token' })
  expect(message).toBe(`the sign-in to Acme cannot be renewed (x); it says: ${'no '.repeat(67).slice(0, 200)}…`)
})

test.each<[errorUri: string, where: ProviderRefusal['where'], hint: string]>([
  ['https://id.example.com/errors/quota', 'token', 'look up what it means: https://id.example.com/errors/quota'],
  ['https://id.example.com/errors/quota', 'callback', report],
  ['http://id.example.com/errors/quota', 'token', report],
  ['https://me@id.example.com/', 'token', report],
  [`https://id.example.com/${'x'.repeat(200)}`, 'token', report],
])('an unknown code may have a page: %s from %s', (errorUri, where, hint) => {
  expect(explain({ error: 'quota', errorUri, where }).hint).toBe(hint)
})
