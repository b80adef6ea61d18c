import { expect, test } from 'vitest'
import { product } from './source-files.ts'

/** Where a token comes out of its wrapping, and why it has to there. */
const reveals: Readonly<Record<string, string>> = {
  'src/runtime/secret.ts': 'defines it',
  'src/helper/run/answer-call.ts': 'renders stdout',
  'src/helper/second/second-facts.ts': 'puts the second token into a header',
  'src/helper/early/answer-from-memo.ts': 'renders stdout of a call that is remembered',
  'src/helper/cache/entry.ts': 'writes the cache',
  'src/runtime/network/connect/find-proxy.ts': 'reads the URL of the proxy',
  'src/runtime/network/connect/tunnel.ts': 'proves to the proxy who asks',
  'src/sources/aws/request/signing-keys.ts': "gives the keys to the SDK's signer",
  'src/sources/aws/sso/files/registration-file.ts': 'writes the registered client where the AWS CLI keeps it',
  'src/sources/aws/sso/files/token-file.ts': 'writes the sign-in where the AWS tools keep it',
  'src/sources/aws/sso/renew-under-lock.ts': 'compares the refresh token that was sent with the one that is stored',
  'src/sources/aws/sso/requests/exchange-grant.ts': 'sends the grant',
  'src/sources/aws/sso/sign-in/device-sign-in.ts': 'proves which client asks for a device code',
  'src/sources/aws/sso/role-credentials.ts': 'authorizes the request to the access portal',
  'src/sources/oauth/store/renew-under-lock.ts':
    'compares the refresh token that was refused with the one that is kept',
  'src/sources/keychain/sealing/keychain-key.ts': 'reads and writes the key that the keychain keeps',
  'src/sources/keychain/secret-service/items.ts': 'gives it to the keychain',
  'src/sources/keychain/system/macos/create-macos-keychain.ts': 'sends it to the child that asks the keychain',
  'src/sources/keychain/system/windows/create-windows-keychain.ts': 'sends it to the child that asks the keychain',
  'src/sources/oauth/store/sign-in-text.ts': 'writes the sign-in that is sealed',
  'src/sources/oauth/store/write-sign-in.ts': 'compares the refresh token that was used with the new one',
  'src/sources/aws/login/fetch-renewed-credentials.ts': 'where a console sign-in is renewed',
  'src/sources/aws/login/login-session.ts': 'where the file of a console sign-in is written',
  'src/sources/aws/login/sign-in/run-login.ts': 'reads who has signed in to the console',
  'src/sources/oidc-token/facts.ts': 'reads what the ID token of a person says',
  'src/api/request/send-request.ts': 'authorizes the request to the API',
  'src/api/request/find-secrets.ts': 'keeps what was sent out of what is shown',
  'src/api/token-exchange.ts': 'sends the assertion',
  'src/cli/doctor/sign-in/claims.ts': 'reads what the token of a sign-in says of itself',
  'src/cli/doctor/exchange.ts': 'reads what an identity token says of itself',
  'src/cli/doctor/rules.ts': 'verifies an identity token as the stand-in does',
  'src/cli/gateway/secrets.ts': 'hands out what the stand-in has just made, once',
  'src/gateway/federation/token-exchange.ts': 'answers with the token that it issues',
  'src/sources/identity/fetch-identity-token.ts': 'authorizes the request for an identity token',
  'src/sources/oauth/oidc/protocol/exchange-refresh-token.ts':
    'sends a refresh token, and reads whose ID token it follows',
  'src/sources/oauth/oidc/protocol/create-configuration.ts': 'sends the secret of a client that has one',
  'src/sources/oauth/oidc/protocol/fetch-answer.ts': 'hides it where a provider repeats it',
  'src/sources/oauth/oidc/protocol/revoke-token.ts': 'sends the token that is to be revoked',
  'src/sources/oauth/oidc/sign-in/run-device-sign-in.ts': 'sends the code of a device',
  'src/sources/exchange/describe-refusal.ts': 'recognizes an identity token that an answer repeats',
  'src/sources/exchange/exchange-once.ts': 'makes the digest by which a used identity token is known',
  'src/sources/exchange/mint-access-token.ts': 'reads what an identity token says of itself',
  'src/sources/oauth/exchange/encode-request.ts': "sends a person's token, and keeps it out of what is repeated",
  'src/sources/oauth/exchange/exchange-id-jag.ts': 'reads what an ID token and an ID-JAG say of themselves',
  'src/sources/oauth/exchange/exchange-token.ts': "sees whether a person's token is a JWT",
  'src/sources/oidc-token/exchange/mint.ts': 'reads what an issued token says of itself',
  'src/sources/oidc-token/exchange/sign-in-supply.ts': 'compares a refused token with the one that is stored',
  'src/sources/api-key/key/stored-key.ts': 'writes what is kept of a key',
  'src/sources/api-key/store/read-key.ts': 'takes the key out of what is kept',
  'src/sources/api-key/store/change-key-file.ts': 'writes the file of a key',
  'src/sources/api-key/verify/fetch-key-standing.ts': 'compares it with what the list of keys shows of each',
  'src/sources/aws/secret/mint.ts': 'takes the token out of what is stored',
  'src/client/turn/turn-headers.ts': 'authorizes the turn',
  'src/client/simulation/stage/simulated-world.ts': 'tells a gateway of our own what was printed',
  'src/client/simulation/stage/simulated-sign-ins.ts': 'tells a gateway of our own what a person has signed in to',
  'src/client/doctor/examine-credential.ts': 'keeps it out of what is shown',
}

test('a secret is revealed in places that can be counted', () => {
  const found = product.filter(({ code }) => /\breveal\b/.test(code)).map(({ path }) => path)
  expect(found.sort()).toEqual(Object.keys(reveals).sort())
})
