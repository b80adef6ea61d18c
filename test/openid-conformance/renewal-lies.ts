import { again, ended, intercepted, refused, type ToldLie, type ToldLies, unavailable, unset } from './told-lie.ts'

const newSession = 'start a new session, so that a person can sign in'

const accessToken = { settings: { bearerTokenType: 'access_token', scopes: 'openid gateway' } } as const

/** An answer that fails its checks is asked for once more, and its refresh token is kept. */
const askedTwice = { kept: 'with the next refresh token', asked: 'discovery keys refresh keys refresh' } as const

/** Something between this machine and the provider has answered: nobody is signed out. */
const notOfOAuth = (status: number, body: unknown): ToldLie => ({
  lies: { answers: { refresh: { status, body } } },
  says: unavailable(
    `PROVIDER cannot be reached: something answered with HTTP ${status} and no error of OAuth`,
    intercepted,
  ),
  asked: 'discovery keys refresh keys refresh',
})

const challenged = ended(
  'the sign-in to PROVIDER needs the person to sign in anew, or in a stronger way than before (insufficient_user_authentication)',
  newSession,
)

/** Answers of a provider to a refresh token (OpenID Connect Core 1.0, section 12.2). */
export const renewalLies = {
  'nothing is wrong': { lies: {} },
  'HTTP 503, and when to come again': {
    lies: { answers: { refresh: { status: 503, body: '', headers: { 'retry-after': '120' } } } },
    says: unavailable('PROVIDER is busy or broken (HTTP 503)', 'try again in 2 minutes, for which the provider asks'),
    asked: 'discovery keys refresh',
  },
  'HTTP 429, and when to come again': {
    lies: { answers: { refresh: { status: 429, body: { error: 'slow' }, headers: { 'retry-after': '1' } } } },
    says: unavailable('PROVIDER is busy or broken (HTTP 429)', 'try again in a moment'),
    asked: 'discovery keys refresh',
  },
  'HTTP 503': {
    lies: { answers: { refresh: { status: 503, body: '' } } },
    says: unavailable('PROVIDER is busy or broken (HTTP 503)', 'try again in a moment'),
    asked: 'discovery keys refresh keys refresh',
  },
  'sub: another person': {
    lies: { renewedIdToken: { claims: { sub: 'person-2' } } },
    says: refused(
      'PROVIDER renewed the sign-in with an ID token that is not for the same person and client (sub)',
      'sign in again; if that happens once more, report this to whoever runs the provider',
    ),
  },
  'sub: missing': {
    lies: { renewedIdToken: { claims: { sub: undefined } } },
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (sub)'),
    ...askedTwice,
  },
  'iss: another': {
    lies: { renewedIdToken: { claims: { iss: 'https://evil.example' } } },
    says: refused(
      'the ID token of PROVIDER names the issuer "https://evil.example", not "http://PROVIDER"',
      'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
    ),
  },
  'aud: another': {
    lies: { renewedIdToken: { claims: { aud: 'another-client' } } },
    says: refused('the ID token of PROVIDER is not for the client "desktop" (aud)', again),
  },
  'iat: missing': {
    lies: { renewedIdToken: { claims: { iat: undefined } } },
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (iat)'),
    ...askedTwice,
  },
  'exp: passed': {
    lies: { renewedIdToken: { claims: { exp: 1_700_000_000 } } },
    says: refused("the ID token of PROVIDER is not valid at this time by the provider's own clock (exp)"),
    ...askedTwice,
  },
  'nonce: another': {
    lies: { renewedIdToken: { claims: { nonce: 'another' } } },
    says: refused(
      'PROVIDER renewed the sign-in with an ID token that is not for the same person and client (nonce)',
      'sign in again; if that happens once more, report this to whoever runs the provider',
    ),
    ...askedTwice,
  },
  'signature wrong': {
    lies: { renewedIdToken: { signature: 'wrong' } },
    says: refused('the ID token of PROVIDER has a wrong signature', again),
    ...askedTwice,
  },
  'alg none': {
    lies: { renewedIdToken: { signer: 'nobody' } },
    says: refused('the ID token of PROVIDER is signed with "none", which is not accepted here'),
    ...askedTwice,
  },
  'at_hash: of another access token': {
    lies: { renewedIdToken: { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } } },
    says: refused('the ID token of PROVIDER was issued with another access token (at_hash)', again),
    ...askedTwice,
  },
  'signed with a new key': { lies: { renewedIdToken: { signer: 'second' }, keys: { published: ['second'] } } },
  'no ID token, which the gateway gets': {
    lies: { renewedIdToken: 'none' },
    kept: 'without the refresh token',
    asked: askedTwice.asked,
    says: ended(
      'PROVIDER renewed the sign-in without a new ID token, which the gateway needs',
      'sign in again; to be asked less often, have the provider issue ID tokens on refresh, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
    ),
  },
  'no ID token, which nobody needs': { lies: { renewedIdToken: 'none' }, ...accessToken },
  'sub: another person, where the gateway gets the access token': {
    lies: { renewedIdToken: { claims: { sub: 'person-2' } } },
    ...accessToken,
    says: refused(
      'PROVIDER renewed the sign-in with an ID token that is not for the same person and client (sub)',
      'sign in again; if that happens once more, report this to whoever runs the provider',
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
      'PROVIDER issued an access token that is bound to a key, not a bearer token',
      'ask whoever runs the provider to issue bearer tokens to this client',
    ),
    ...askedTwice,
  },
  'no access token': {
    lies: { members: { refresh: { access_token: undefined } } },
    says: refused('the answer of PROVIDER lacks access_token, or has it in a wrong form'),
    ...askedTwice,
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
      'tell your administrator: correct the client ID; in its registration, make it a public client (a native application with PKCE)',
    ),
  },
  'invalid_grant, and HTTP 401': {
    lies: { answers: { refresh: { status: 401, body: { error: 'invalid_grant' } } } },
    says: ended('the sign-in to PROVIDER has ended (invalid_grant)', newSession),
    kept: 'without the refresh token',
  },
  'nothing but HTTP 400': {
    lies: { answers: { refresh: { status: 400, body: '' } } },
    says: ended('the sign-in to PROVIDER cannot be renewed, without a reason (HTTP 400)', newSession),
    kept: 'without the refresh token',
  },
  interaction_required: {
    lies: { answers: { refresh: { status: 400, body: { error: 'interaction_required' } } } },
    says: ended('the sign-in to PROVIDER needs the person (interaction_required)', newSession),
  },
  insufficient_user_authentication: {
    lies: { answers: { refresh: { status: 400, body: { error: 'insufficient_user_authentication', max_age: 5 } } } },
    says: challenged,
  },
  'insufficient_user_authentication, in the header': {
    lies: {
      answers: {
        refresh: {
          status: 401,
          headers: { 'www-authenticate': 'Bearer error="insufficient_user_authentication", acr_values="phr"' },
          body: '',
        },
      },
    },
    says: challenged,
  },
  'HTTP 200 with an error': notOfOAuth(200, { error: 'invalid_grant' }),
  'HTTP 403 with an error': notOfOAuth(403, { error: 'invalid_grant' }),
  'HTTP 401 and nothing': notOfOAuth(401, ''),
  'HTTP 403 and nothing': notOfOAuth(403, ''),
  'HTTP 400, and the text of a firewall': notOfOAuth(400, 'Request blocked. Incident 0815'),
  'HTTP 401, and the JSON of another server': notOfOAuth(401, { message: 'Unauthorized', requestId: '1' }),
  'HTTP 404': notOfOAuth(404, { error: 'not_found' }),
  'HTTP 200, and the JSON of another server': notOfOAuth(200, { status: 'ok' }),
  'HTTP 401, and an error that OAuth does not have': {
    lies: { answers: { refresh: { status: 401, body: { error: 'Unauthorized', path: '/token' } } } },
    says: unavailable(
      'the sign-in to PROVIDER cannot be renewed (Unauthorized)',
      'start again, which begins a new sign-in; if it fails again, report this to whoever runs the provider',
    ),
    asked: 'discovery keys refresh keys refresh',
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
    says: unavailable('PROVIDER answered with more than 1024 KiB', 'find out what answers in place of PROVIDER'),
    asked: 'discovery keys refresh keys refresh',
  },
} satisfies ToldLies

/** Lies of the revocation endpoint (RFC 7009). */
export const revocationLies = {
  'nothing is wrong': { lies: {} },
  'HTTP 503': {
    lies: { answers: { revoke: { status: 503, body: '' } } },
    warning:
      'PROVIDER was not told of the sign-out: PROVIDER is busy or broken (HTTP 503); the tokens that it has issued stay valid until they expire',
    asked: 'discovery revoke revoke revoke',
  },
  unsupported_token_type: {
    lies: { answers: { revoke: { status: 400, body: { error: 'unsupported_token_type' } } } },
    warning:
      'PROVIDER was not told of the sign-out: the sign-out from PROVIDER ends nothing there: the provider revokes no token of this kind (unsupported_token_type); the tokens that it has issued stay valid until they expire',
    asked: 'discovery revoke',
  },
  'HTTP 401, as for a client without a secret': {
    lies: { answers: { revoke: { status: 401, body: '' } } },
    warning:
      'PROVIDER was not told of the sign-out: the sign-out from PROVIDER was refused by the provider, without a reason (HTTP 401); the tokens that it has issued stay valid until they expire',
    asked: 'discovery revoke',
  },
  'a web page': {
    lies: { answers: { revoke: 'html' } },
    warning:
      'PROVIDER was not told of the sign-out: PROVIDER answered with a web page (HTTP 200); the tokens that it has issued stay valid until they expire',
    asked: 'discovery revoke',
  },
  'a redirect to elsewhere': {
    lies: { answers: { revoke: 'elsewhere' } },
    warning:
      'PROVIDER was not told of the sign-out: PROVIDER answered with a redirect, which is not followed (HTTP 307); the tokens that it has issued stay valid until they expire',
    asked: 'discovery revoke',
  },
  'not offered': {
    lies: { members: { discovery: { revocation_endpoint: undefined } } },
    warning: 'PROVIDER cannot be told of the sign-out; the tokens that it has issued stay valid until they expire',
    asked: 'discovery',
  },
} satisfies ToldLies
