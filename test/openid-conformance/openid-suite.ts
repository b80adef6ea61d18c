import { callbackLies, metadataLies } from './answer-lies.ts'
import { idTokenLies } from './id-token-lies.ts'
import { renewalLies } from './renewal-lies.ts'

/** Every table of lies, by the name under which a row of the suite's table refers to it. */
export const tables = { idTokenLies, callbackLies, metadataLies, renewalLies }

type TableName = keyof typeof tables

/** The lie of a table that shows it in a whole sign-in; or a text that says why it does not apply. */
type SuiteRow = { readonly [name in TableName]?: keyof (typeof tables)[name] } | string

const userinfo = 'UserInfo is never asked: the gateway gets a token, and nothing else of the person is used'
const noServer =
  'nothing of this product listens where a provider could send it anything, except while a person signs in'
const noSession = "a sign-out revokes the tokens; the session in the person's browser is the provider's, and stays"
const hybrid = 'only the code flow is used; the suite has this test for the implicit and the hybrid flow'
const fixed = 'an administrator sets the issuer and the client'

/** The client tests of the OpenID Foundation's conformance suite (August 2026), each by its name there. */
export const openidSuite: Readonly<Record<string, SuiteRow>> = {
  'oidcc-client-test': { idTokenLies: 'nothing is wrong' },
  'oidcc-client-test-3rd-party-init-login': noServer,
  'oidcc-client-test-aggregated-claims': userinfo,
  'oidcc-client-test-client-secret-basic': 'a client on a desktop is public: it has no secret',
  'oidcc-client-test-discovery-issuer-mismatch': { metadataLies: 'issuer: another' },
  'oidcc-client-test-discovery-jwks-uri-keys': { idTokenLies: 'nothing is wrong' },
  'oidcc-client-test-discovery-openid-config': { idTokenLies: 'nothing is wrong' },
  'oidcc-client-test-discovery-webfinger-acct': fixed,
  'oidcc-client-test-discovery-webfinger-url': fixed,
  'oidcc-client-test-distributed-claims': userinfo,
  'oidcc-client-test-dynamic-registration': fixed,
  'oidcc-client-test-form-post-error': { callbackLies: 'an error in a form' },
  'oidcc-client-test-idtoken-sig-none': { idTokenLies: 'alg none' },
  'oidcc-client-test-idtoken-sig-rs256': { idTokenLies: 'RS256' },
  'oidcc-client-test-invalid-athash': { idTokenLies: 'at_hash: of another access token' },
  'oidcc-client-test-invalid-aud': { idTokenLies: 'aud: another' },
  'oidcc-client-test-invalid-chash': { idTokenLies: 'c_hash: of another code' },
  'oidcc-client-test-invalid-iss': { idTokenLies: 'iss: another' },
  'oidcc-client-test-invalid-sig-es256': { idTokenLies: 'ES256 signature wrong' },
  'oidcc-client-test-invalid-sig-hs256': { idTokenLies: 'HS256 with the client id as secret' },
  'oidcc-client-test-invalid-sig-rs256': { idTokenLies: 'RS256 signature wrong' },
  'oidcc-client-test-kid-absent-multiple-jwks': { idTokenLies: 'kid absent, two keys' },
  'oidcc-client-test-kid-absent-single-jwks': { idTokenLies: 'kid absent, one key' },
  'oidcc-client-test-missing-athash': hybrid,
  'oidcc-client-test-missing-aud': { idTokenLies: 'aud: missing' },
  'oidcc-client-test-missing-chash': hybrid,
  'oidcc-client-test-missing-iat': { idTokenLies: 'iat: missing' },
  'oidcc-client-test-missing-sub': { idTokenLies: 'sub: missing' },
  'oidcc-client-test-mtls-endpoint-aliases': 'the client has no certificate',
  'oidcc-client-test-nonce-invalid': { idTokenLies: 'nonce: another' },
  'oidcc-client-test-nonce-unless-code-flow': hybrid,
  'oidcc-client-test-refresh-token': { renewalLies: 'nothing is wrong' },
  'oidcc-client-test-refresh-token-invalid-issuer': { renewalLies: 'iss: another' },
  'oidcc-client-test-refresh-token-invalid-sub': { renewalLies: 'sub: another person' },
  'oidcc-client-test-request-uri-signed-none':
    'no request object is sent; a request that must not be seen is pushed (RFC 9126)',
  'oidcc-client-test-request-uri-signed-rs256': 'a public client has no key to sign a request object with',
  'oidcc-client-test-rp-backchannel-rpinitlogout': noServer,
  'oidcc-client-test-rp-backchannel-rpinitlogout-alg-none': noServer,
  'oidcc-client-test-rp-backchannel-rpinitlogout-no-event': noServer,
  'oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce': noServer,
  'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg': noServer,
  'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud': noServer,
  'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event': noServer,
  'oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss': noServer,
  'oidcc-client-test-rp-frontchannel-opinitlogout': noServer,
  'oidcc-client-test-rp-frontchannel-rpinitlogout': noServer,
  'oidcc-client-test-rp-init-logout': noSession,
  'oidcc-client-test-rp-init-logout-no-state': noSession,
  'oidcc-client-test-rp-init-logout-other-state': noSession,
  'oidcc-client-test-scope-userinfo-claims': userinfo,
  'oidcc-client-test-session-management': noSession,
  'oidcc-client-test-signing-key-rotation': { renewalLies: 'signed with a new key' },
  'oidcc-client-test-signing-key-rotation-just-before-signing': {
    idTokenLies: 'signed with a key that has just replaced the first',
  },
  'oidcc-client-test-userinfo-bearer-body': userinfo,
  'oidcc-client-test-userinfo-bearer-header': userinfo,
  'oidcc-client-test-userinfo-invalid-sub': userinfo,
  'oidcc-client-test-userinfo-signed': userinfo,
}
