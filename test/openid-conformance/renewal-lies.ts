import { again, ended, intercepted, refused, type ToldLies, unavailable, unset } from './told-lie.ts'

const newSession = 'start a new session, so that a person can sign in'

const accessToken = { settings: { bearerTokenType: 'access_token', scopes: 'openid gateway' } } as const

/** What a provider answers to a refresh token (OpenID Connect Core 1.0, section 12.2). */
export const renewalLies = {
  'nothing is wrong': { lies: {} },
  'sub: another person': {
    lies: { renewedIdToken: { claims: { sub: 'person-2' } } },
    says: refused(
      'PROVIDER renewed the sign-in with an ID token that is not for the same person and client (sub)',
      'sign in again; if that happens once more, ask who runs the provider',
    ),
  },
  'sub: missing': {
    lies: { renewedIdToken: { claims: { sub: undefined } } },
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (sub)'),
  },
  'iss: another': {
    lies: { renewedIdToken: { claims: { iss: 'https://evil.example' } } },
    says: refused(
      'the ID token of PROVIDER names the issuer "https://evil.example", not "http://PROVIDER"',
      'set issuer to the one whose tokens these are, or ask who runs the provider',
    ),
  },
  'aud: another': {
    lies: { renewedIdToken: { claims: { aud: 'another-client' } } },
    says: refused('the ID token of PROVIDER is not for the client "desktop" (aud)', again),
  },
  'iat: missing': {
    lies: { renewedIdToken: { claims: { iat: undefined } } },
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (iat)'),
  },
  'exp: passed': {
    lies: { renewedIdToken: { claims: { exp: 1_700_000_000 } } },
    says: refused("the ID token of PROVIDER is not valid at this time by the provider's own clock (exp)"),
  },
  'nonce: another': {
    lies: { renewedIdToken: { claims: { nonce: 'another' } } },
    says: refused(
      'PROVIDER renewed the sign-in with an ID token that is not for the same person and client (nonce)',
      'sign in again; if that happens once more, ask who runs the provider',
    ),
  },
  'signature wrong': {
    lies: { renewedIdToken: { signature: 'wrong' } },
    says: refused('the ID token of PROVIDER has a signature that is wrong', again),
  },
  'alg none': {
    lies: { renewedIdToken: { signer: 'nobody' } },
    says: refused('the ID token of PROVIDER is signed with "none", which is not accepted here'),
  },
  'at_hash: of another access token': {
    lies: { renewedIdToken: { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } } },
    says: refused('the ID token of PROVIDER was issued with another access token (at_hash)', again),
  },
  'signed with a new key': { lies: { renewedIdToken: { signer: 'second' }, keys: { published: ['second'] } } },
  'no ID token, which the gateway gets': {
    lies: { renewedIdToken: 'none' },
    kept: 'without the refresh token',
    says: ended(
      'PROVIDER renewed the sign-in without a new ID token, which the gateway is to get',
      'sign in again; to be asked less often, have the provider issue ID tokens on refresh, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
    ),
  },
  'no ID token, which nobody needs': { lies: { renewedIdToken: 'none' }, ...accessToken },
  'sub: another person, where the gateway gets the access token': {
    lies: { renewedIdToken: { claims: { sub: 'person-2' } } },
    ...accessToken,
    says: refused(
      'PROVIDER renewed the sign-in with an ID token that is not for the same person and client (sub)',
      'sign in again; if that happens once more, ask who runs the provider',
    ),
  },
  'no new refresh token': { lies: { members: { refresh: { refresh_token: undefined } } } },
  'refresh token: no text': {
    lies: { members: { refresh: { refresh_token: 7 } } },
    says: refused('the answer of PROVIDER lacks refresh_token, or has it in a wrong form'),
  },
  'scope: less than before': { lies: { members: { refresh: { scope: 'openid' } } }, ...accessToken },
  'token_type DPoP': {
    lies: { members: { refresh: { token_type: 'DPoP' } } },
    ...accessToken,
    says: refused(
      'PROVIDER issued an access token that is bound to a key, and no bearer token',
      'ask who runs the provider to issue bearer tokens to this client',
    ),
  },
  'no access token': {
    lies: { members: { refresh: { access_token: undefined } } },
    says: refused('the answer of PROVIDER lacks access_token, or has it in a wrong form'),
  },
  invalid_grant: {
    lies: { answers: { refresh: { status: 400, body: { error: 'invalid_grant' } } } },
    says: ended('the sign-in to PROVIDER has ended (invalid_grant)', newSession),
    kept: 'without the refresh token',
  },
  invalid_client: {
    lies: { answers: { refresh: { status: 401, body: { error: 'invalid_client' } } } },
    says: unset(
      'the sign-in to PROVIDER names a client that the provider does not know, or that has to use a secret (invalid_client)',
      'correct the client ID; in its registration, make it a public client (a native application with PKCE)',
    ),
  },
  'HTTP 200 with an error': {
    lies: { answers: { refresh: { body: { error: 'invalid_grant' } } } },
    says: ended('the sign-in to PROVIDER has ended (invalid_grant)', newSession),
    kept: 'without the refresh token',
  },
  'a web page': {
    lies: { answers: { refresh: 'html' } },
    says: unavailable('PROVIDER answered with a web page (HTTP 200)', intercepted),
    asked: 'discovery keys refresh keys refresh',
  },
  'a redirect to elsewhere': {
    lies: { answers: { refresh: 'elsewhere' } },
    says: unavailable('PROVIDER answered with a redirect, which is not followed (HTTP 307)', intercepted),
    asked: 'discovery keys refresh keys refresh',
  },
  'a body without an end': {
    lies: { answers: { refresh: 'huge' } },
    says: unavailable('PROVIDER answered with more than 1024 KiB', 'find out what answers in the place of PROVIDER'),
    asked: 'discovery keys refresh keys refresh',
  },
} satisfies ToldLies

/** Of the revocation endpoint (RFC 7009). */
export const revocationLies = {
  'nothing is wrong': { lies: {} },
  'HTTP 503': {
    lies: { answers: { revoke: { status: 503, body: '' } } },
    warning:
      'PROVIDER was not told: PROVIDER is busy or broken (HTTP 503); what it has issued is valid there until it expires',
    asked: 'discovery revoke revoke revoke',
  },
  unsupported_token_type: {
    lies: { answers: { revoke: { status: 400, body: { error: 'unsupported_token_type' } } } },
    warning:
      'PROVIDER was not told: the sign-out from PROVIDER ends nothing there: the provider revokes no token of this kind (unsupported_token_type); what it has issued is valid there until it expires',
    asked: 'discovery revoke',
  },
  'HTTP 401, as for a client without a secret': {
    lies: { answers: { revoke: { status: 401, body: '' } } },
    warning:
      'PROVIDER was not told: the sign-out from PROVIDER was refused by the provider, without a reason (HTTP 401); what it has issued is valid there until it expires',
    asked: 'discovery revoke',
  },
  'a web page': {
    lies: { answers: { revoke: 'html' } },
    warning:
      'PROVIDER was not told: PROVIDER answered with a web page (HTTP 200); what it has issued is valid there until it expires',
    asked: 'discovery revoke',
  },
  'a redirect to elsewhere': {
    lies: { answers: { revoke: 'elsewhere' } },
    warning:
      'PROVIDER was not told: PROVIDER answered with a redirect, which is not followed (HTTP 307); what it has issued is valid there until it expires',
    asked: 'discovery revoke',
  },
  'not offered': {
    lies: { members: { discovery: { revocation_endpoint: undefined } } },
    warning: 'PROVIDER cannot be told that; what it has issued is valid there until it expires',
    asked: 'discovery',
  },
} satisfies ToldLies
