import { strangeHeader } from '../stand-ins/lying-provider/id-token.ts'
import type { IdTokenLies } from '../stand-ins/lying-provider/lies.ts'
import { again, refused, type ToldLies } from './told-lie.ts'

const claim = (name: string, value: unknown) => ({ lies: { idToken: { claims: { [name]: value } } } })
const signed = (idToken: IdTokenLies) => ({ lies: { idToken } })
const nowSec = Math.floor(Date.now() / 1000)

/** An ID token that is not what it should be (OpenID Connect Core 1.0, section 3.1.3.7). */
export const idTokenLies = {
  'nothing is wrong': { lies: {} },
  'iss: another': {
    ...claim('iss', 'https://evil.example'),
    says: refused(
      'the ID token of PROVIDER names the issuer "https://evil.example", not "http://PROVIDER"',
      'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
    ),
  },
  'iss: with a slash more': {
    lies: { idToken: { claims: { iss: 'ISSUER/' } } },
    says: refused(
      'the ID token of PROVIDER names the issuer "http://PROVIDER/", not "http://PROVIDER"',
      'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
    ),
  },
  'iss: missing': {
    ...claim('iss', undefined),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (iss)'),
  },
  'iss: no text': {
    ...claim('iss', ['https://evil.example']),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (iss)'),
  },
  'aud: another': {
    ...claim('aud', 'another-client'),
    says: refused('the ID token of PROVIDER is not for the client "desktop" (aud)', again),
  },
  'aud: missing': {
    ...claim('aud', undefined),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (aud)'),
  },
  'aud: nobody': {
    ...claim('aud', []),
    says: refused('the ID token of PROVIDER is not for the client "desktop" (aud)', again),
  },
  'aud: several without azp': {
    ...claim('aud', ['desktop', 'another-client']),
    says: refused('the ID token of PROVIDER is not for the client "desktop" (aud)', again),
  },
  'aud: several, azp another': {
    lies: { idToken: { claims: { aud: ['desktop', 'other'], azp: 'other' } } },
    says: refused('the ID token of PROVIDER is not for the client "desktop" (azp)', again),
  },
  'aud: several, azp this client': { lies: { idToken: { claims: { aud: ['desktop', 'other'], azp: 'desktop' } } } },
  'aud: one, azp another': { ...claim('azp', 'another-client') },
  'sub: missing': {
    ...claim('sub', undefined),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (sub)'),
  },
  'sub: empty': { ...claim('sub', ''), says: refused('the ID token of PROVIDER names nobody (sub)', again) },
  'sub: a number': {
    ...claim('sub', 7),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (sub)'),
  },
  'iat: missing': {
    ...claim('iat', undefined),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (iat)'),
  },
  'iat: text': {
    ...claim('iat', 'now'),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (iat)'),
  },
  'iat: tomorrow': { ...claim('iat', nowSec + 86_400) },
  'exp: missing': {
    ...claim('exp', undefined),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (exp)'),
  },
  'exp: passed': {
    ...claim('exp', nowSec - 3600),
    says: refused("the ID token of PROVIDER is not valid at this time by the provider's own clock (exp)"),
  },
  'exp: text': {
    ...claim('exp', 'later'),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (exp)'),
  },
  'nbf: tomorrow': {
    ...claim('nbf', nowSec + 86_400),
    says: refused("the ID token of PROVIDER is not valid at this time by the provider's own clock (nbf)"),
  },
  'nonce: another': {
    ...claim('nonce', 'another-nonce'),
    says: refused('the ID token of PROVIDER belongs to another sign-in (nonce)', again),
  },
  'nonce: missing': {
    ...claim('nonce', undefined),
    says: refused('the ID token of PROVIDER lacks a claim, or has it in a wrong form (nonce)'),
  },
  'alg none': {
    ...signed({ signer: 'nobody' }),
    says: refused('the ID token of PROVIDER is signed with "none", which is not accepted here'),
  },
  'alg none, which discovery announces': {
    lies: {
      idToken: { signer: 'nobody' },
      members: { discovery: { id_token_signing_alg_values_supported: ['none', 'ES256'] } },
    },
    says: refused('the ID token of PROVIDER is signed with "none", which is not accepted here'),
  },
  'HS256 with the client id as secret': {
    lies: {
      idToken: { signer: 'the client id' },
      members: { discovery: { id_token_signing_alg_values_supported: ['HS256', 'ES256'] } },
    },
    says: refused('the ID token of PROVIDER is signed with "HS256", which is not accepted here'),
  },
  'HS256 with the public key as secret': {
    lies: {
      idToken: { signer: 'the published key as a secret' },
      members: { discovery: { id_token_signing_alg_values_supported: ['HS256', 'ES256'] } },
    },
    says: refused('the ID token of PROVIDER is signed with "HS256", which is not accepted here'),
  },
  'HS256, which discovery does not announce': {
    ...signed({ signer: 'the client id' }),
    says: refused('the ID token of PROVIDER is signed with "HS256", which is not accepted here'),
  },
  'ES256 signature wrong': {
    ...signed({ signature: 'wrong' }),
    says: refused('the ID token of PROVIDER has a wrong signature', again),
  },
  'RS256 signature wrong': {
    lies: { idToken: { signer: 'rsa', signature: 'wrong' }, keys: { published: ['rsa'] } },
    says: refused('the ID token of PROVIDER has a wrong signature', again),
  },
  RS256: { lies: { idToken: { signer: 'rsa' }, keys: { published: ['rsa'] } } },
  'signed with a key that is not published': {
    ...signed({ signer: 'unpublished' }),
    says: refused(
      'the ID token of PROVIDER is signed with a key that is not, or not clearly, among its published keys',
    ),
    asked: 'discovery authorize keys token keys',
  },
  'signed with a key that is not published, under the name of one that is': {
    ...signed({ signer: 'unpublished', header: { kid: 'first' } }),
    says: refused('the ID token of PROVIDER has a wrong signature', again),
  },
  'signed with a key that has just replaced the first': {
    lies: { idToken: { signer: 'second' }, keys: { later: ['second'] } },
    asked: 'discovery authorize keys token keys',
  },
  'kid absent, one key': { lies: { idToken: { header: { kid: undefined } }, keys: { kid: 'absent' } } },
  'kid absent, two keys': {
    lies: { idToken: { header: { kid: undefined } }, keys: { published: ['first', 'second'], kid: 'absent' } },
    says: refused(
      'the ID token of PROVIDER is signed with a key that is not, or not clearly, among its published keys',
    ),
  },
  'a critical header that nobody knows': {
    ...signed({ header: { crit: [strangeHeader], [strangeHeader]: 1 } }),
    says: refused('the ID token of PROVIDER has a critical header that is not supported (crit)'),
  },
  'at_hash: of another access token': {
    ...claim('at_hash', 'AAAAAAAAAAAAAAAAAAAAAA'),
    says: refused('the ID token of PROVIDER was issued with another access token (at_hash)', again),
  },
  'at_hash: missing': { ...claim('at_hash', undefined) },
  'c_hash: of another code': {
    ...claim('c_hash', 'AAAAAAAAAAAAAAAAAAAAAA'),
    says: refused('the ID token of PROVIDER was issued for another code (c_hash)', again),
  },
  'no ID token': {
    lies: { members: { token: { id_token: undefined } } },
    says: refused(
      'PROVIDER issued no ID token, which the gateway needs',
      'report this to whoever runs the provider, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
    ),
  },
  'no JWT': {
    lies: { members: { token: { id_token: 'canary' } } },
    says: refused('the ID token of PROVIDER is not a JWT'),
  },
  'encrypted to nobody': {
    lies: { members: { token: { id_token: 'a.b.c.d.e' } } },
    says: refused('the ID token of PROVIDER is encrypted, and there is no key for it here'),
  },
} satisfies ToldLies
