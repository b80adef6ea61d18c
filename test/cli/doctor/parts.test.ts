import { describe, expect, test } from 'vitest'
import { describeMetadata, describeSignIn, withClaims } from '../../../src/cli/doctor/examine-sign-in.ts'
import type { SignInResult } from '../../../src/client/credentials/client-sign-in.ts'
import type { Part } from '../../../src/client/examination.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/oidc-settings.ts'

const settings: OidcSettings = {
  clientId: 'desktop',
  issuer: 'https://login.example.com',
  bearerTokenType: 'id_token',
  appendOfflineAccess: true,
  redirectHost: '127.0.0.1',
  additionalRedirectReferrerHosts: [],
}

describe('the provider', () => {
  const metadata = {
    issuer: 'https://login.example.com',
    authorization_endpoint: 'https://login.example.com/authorize',
    token_endpoint: 'https://login.example.com/token',
    revocation_endpoint: 'https://login.example.com/revoke',
  }

  test('is described with its endpoints, the scope and the redirect URI to register', () => {
    expect(describeMetadata(metadata, settings)).toEqual({
      part: 'provider',
      outcome: 'good',
      lines: [
        'issuer https://login.example.com, by its discovery document',
        'sign-in page: https://login.example.com/authorize',
        'token endpoint: https://login.example.com/token',
        'revocation endpoint: https://login.example.com/revoke',
        'asks for: openid offline_access; the gateway gets the id_token',
        'redirect: register exactly http://127.0.0.1/callback in the registration of the client, for the client desktop; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it',
      ],
    })
  })

  test.each([
    [{ authorization_endpoint: undefined }, 'bad', 'it names no sign-in page, or no token endpoint'],
    [{ response_types_supported: ['id_token'] }, 'bad', 'it does not offer the authorization code flow'],
    [{ code_challenge_methods_supported: ['plain'] }, 'note', 'it does not say that it checks PKCE (S256)'],
    [
      { scopes_supported: ['openid'] },
      'note',
      'offline_access is not among the scopes that it lists, so there may be no refresh token, or a refusal',
    ],
    [{ scopes_supported: ['openid', 'offline_access'], code_challenge_methods_supported: ['S256'] }, 'good', ''],
  ])('with %j is described as %s: %s', (more, outcome, words) => {
    const part = describeMetadata({ ...metadata, ...more }, settings)
    const [, last = ''] = / register it(.*)/s.exec(part.lines.join('\n')) ?? []
    expect({ outcome: part.outcome, words: last.trim() }).toEqual({ outcome, words })
  })
})

describe('a sign-in', () => {
  const done: SignInResult = {
    ok: true,
    token: new Secret('x'),
    lifeSec: 3600,
    isRenewable: true,
    durationMs: 12_400,
  }
  const failed: SignInResult = {
    ok: false,
    durationMs: 9,
    failure: new HelperError('refused', 'the sign-in was denied', 'start again'),
  }
  const lines = ['a person signed in, after 12 s', 'the token lives 1 h 0 min']

  test.each<[string, SignInResult, SignInResult | undefined, Omit<Part, 'part'>]>([
    ['denied', failed, undefined, { outcome: 'bad', lines: ['the sign-in was denied'], hint: 'start again' }],
    ['renewed', done, done, { outcome: 'good', lines: [...lines, 'it was renewed once, without the person'] }],
    [
      'not renewed',
      done,
      failed,
      {
        outcome: 'bad',
        lines: [...lines, 'it cannot be renewed: the sign-in was denied'],
        cause:
          'the sign-in cannot be renewed, so that people are signed out when the token ends: the sign-in was denied',
        hint: 'start again',
      },
    ],
    [
      'without a refresh token',
      done,
      undefined,
      {
        outcome: 'note',
        lines: [...lines, 'the provider gave no refresh token'],
        hint: 'have it issue one, or people sign in again whenever a token expires',
      },
    ],
  ])('that is %s is described', (_, first, renewal, part) => {
    expect(describeSignIn(first, renewal)).toEqual({ part: 'sign-in', ...part })
  })
})

describe('a token that the gateway refuses', () => {
  const jwt = (claims: object) =>
    new Secret(`e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${'x'.repeat(43)}`)
  const claims = { iss: 'https://login.example.com', aud: 'desktop', sub: 'dana', email: 'dana@example.com' }
  const parts: Part[] = [
    { part: 'token', outcome: 'good', lines: ['a JWT'] },
    { part: 'gateway', outcome: 'bad', lines: ['HTTP 401'], hint: 'ask', answer: { status: 401 } },
  ]

  test.each([
    [
      'an ID token',
      jwt(claims),
      'id_token',
      ['a JWT', 'iss: "https://login.example.com"', 'aud: "desktop"'],
      'an ID token is for the client: its aud is "desktop"',
      'have the gateway take that audience and the issuer "https://login.example.com"; if it checks tokens as an OAuth resource server, set bearerTokenType to access_token, with its API scope',
    ],
    [
      'an access token',
      jwt({ ...claims, scp: 'a b' }),
      'access_token',
      ['a JWT', 'iss: "https://login.example.com"', 'aud: "desktop"', 'scp: "a b"'],
      'the access token is for "desktop", from "https://login.example.com"',
      'have the gateway take that audience and issuer, or ask for a scope or a resource of its own',
    ],
    [
      'an opaque access token',
      new Secret('opaque'),
      'access_token',
      ['a JWT', 'it is opaque: only the provider can say what it is for'],
      'the access token is opaque, and most gateways check JWTs only',
      'ask for a scope or a resource of the gateway, whose tokens are JWTs',
    ],
  ] as const)('%s is compared with what it is for', (_, token, bearerTokenType, lines, cause, hint) => {
    expect(withClaims(parts, token, { ...settings, bearerTokenType })).toEqual([
      { ...parts[0], lines },
      { ...parts[1], lines: ['HTTP 401', cause], hint },
    ])
  })
})
