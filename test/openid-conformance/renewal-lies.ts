import type { ToldLies } from './told-lie.ts'

const accessToken = { settings: { bearerTokenType: 'access_token', scopes: 'openid gateway' } } as const

/** What a provider answers to a refresh token (OpenID Connect Core 1.0, section 12.2). */
export const renewalLies = {
  'nothing is wrong': { lies: {} },
  'sub: another person': { lies: { renewedIdToken: { claims: { sub: 'person-2' } } } },
  'sub: missing': { lies: { renewedIdToken: { claims: { sub: undefined } } } },
  'iss: another': { lies: { renewedIdToken: { claims: { iss: 'https://evil.example' } } } },
  'aud: another': { lies: { renewedIdToken: { claims: { aud: 'another-client' } } } },
  'iat: missing': { lies: { renewedIdToken: { claims: { iat: undefined } } } },
  'exp: passed': { lies: { renewedIdToken: { claims: { exp: 1_700_000_000 } } } },
  'nonce: another': { lies: { renewedIdToken: { claims: { nonce: 'another' } } } },
  'signature wrong': { lies: { renewedIdToken: { signature: 'wrong' } } },
  'alg none': { lies: { renewedIdToken: { signer: 'nobody' } } },
  'at_hash: of another access token': { lies: { renewedIdToken: { claims: { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' } } } },
  'signed with a new key': { lies: { renewedIdToken: { signer: 'second' }, keys: { published: ['second'] } } },
  'no ID token, which the gateway gets': { lies: { renewedIdToken: 'none' } },
  'no ID token, which nobody needs': { lies: { renewedIdToken: 'none' }, ...accessToken },
  'sub: another person, where the gateway gets the access token': {
    lies: { renewedIdToken: { claims: { sub: 'person-2' } } },
    ...accessToken,
  },
  'no new refresh token': { lies: { members: { refresh: { refresh_token: undefined } } } },
  'refresh token: no text': { lies: { members: { refresh: { refresh_token: 7 } } } },
  'scope: less than before': { lies: { members: { refresh: { scope: 'openid' } } }, ...accessToken },
  'token_type DPoP': { lies: { members: { refresh: { token_type: 'DPoP' } } }, ...accessToken },
  'no access token': { lies: { members: { refresh: { access_token: undefined } } } },
  invalid_grant: { lies: { answers: { refresh: { status: 400, body: { error: 'invalid_grant' } } } } },
  invalid_client: { lies: { answers: { refresh: { status: 401, body: { error: 'invalid_client' } } } } },
  'HTTP 200 with an error': { lies: { answers: { refresh: { body: { error: 'invalid_grant' } } } } },
  'a web page': { lies: { answers: { refresh: 'html' } } },
  'a redirect to elsewhere': { lies: { answers: { refresh: 'elsewhere' } } },
  'a body without an end': { lies: { answers: { refresh: 'huge' } } },
} satisfies ToldLies

/** Of the revocation endpoint (RFC 7009). */
export const revocationLies = {
  'nothing is wrong': { lies: {} },
  'HTTP 503': { lies: { answers: { revoke: { status: 503, body: '' } } } },
  unsupported_token_type: { lies: { answers: { revoke: { status: 400, body: { error: 'unsupported_token_type' } } } } },
  'HTTP 401, as for a client without a secret': { lies: { answers: { revoke: { status: 401, body: '' } } } },
  'a web page': { lies: { answers: { revoke: 'html' } } },
  'a redirect to elsewhere': { lies: { answers: { revoke: 'elsewhere' } } },
  'not offered': { lies: { members: { discovery: { revocation_endpoint: undefined } } } },
} satisfies ToldLies
