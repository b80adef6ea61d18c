import { expect, test } from 'vitest'
import { matches, product } from './source-files.ts'

/** The files that reveal a secret, with the reason why they have to. */
const reveals: Readonly<Record<string, string>> = {
  'src/runtime/secret.ts': 'defines it',
  'src/runtime/digest.ts': 'makes the digest by which a token is recognized',
  'src/helper/run/answer-client.ts': 'renders stdout',
  'src/helper/run/prepare-second.ts': 'puts the second token into a header',
  'src/helper/memo/answer-from-memo.ts': 'renders stdout of a call that is remembered',
  'src/helper/cache/entry.ts': 'writes the cache',
  'src/helper/formats/refuse-wrong-action.ts': 'compares the token that was refused with the one that is kept',
  'src/helper/formats/prepare-aws-keys.ts': 'renders the document that the AWS tools read',
  'src/runtime/network/find-proxy.ts': 'reads the URL of the proxy',
  'src/runtime/network/agent.ts': 'proves to the proxy who asks',
  'src/outcomes/destinations/send-metrics.ts': 'authorizes the request to the collector',
  'src/sources/aws/request/signing-keys.ts': "gives the keys to the SDK's signer",
  'src/sources/aws/sdk-chain/fetch-sdk-credentials.ts':
    'tells the process in which the AWS SDK runs where the proxy is',
  'src/sources/aws/sso/registration.ts': 'writes the registered client where the AWS CLI keeps it',
  'src/sources/aws/sso/stored-token.ts': 'writes the sign-in where the AWS tools keep it',
  'src/sources/aws/sso/access-token.ts': 'compares the refresh token that was sent with the one that is stored',
  'src/sources/aws/sso/send-sso.ts': 'sends the grant',
  'src/sources/aws/sso/device-sign-in.ts': 'proves which client asks for a device code',
  'src/sources/aws/sso/sso-credentials.ts': 'authorizes the request to the access portal',
  'src/sources/oauth/store/renew-under-lock.ts':
    'compares the refresh token that was refused with the one that is kept',
  'src/sources/keychain/keychain-key.ts': 'reads and writes the key that the keychain keeps',
  'src/sources/keychain/secret-service/items.ts': 'gives it to the keychain',
  'src/sources/keychain/system/open-system-keychain.ts': 'sends it to the child that asks the keychain',
  'src/sources/keychain/system/create-windows-keychain.ts': 'sends it to the child that asks the keychain',
  'src/sources/oauth/store/sealed-sign-in.ts': 'writes the sign-in that is sealed',
  'src/sources/oauth/store/file-store.ts': 'compares the refresh token that was used with the new one',
  'src/sources/aws/login/fetch-login-credentials.ts': 'where a console sign-in is renewed',
  'src/sources/aws/login/login-session.ts': 'where the file of a console sign-in is written',
  'src/sources/aws/login/run-login.ts': 'reads who has signed in to the console',
  'src/sources/oauth/oidc/describe-account.ts': 'reads whose name the ID token of a person has',
  'src/sources/oidc-token/mint.ts': 'reads what the ID token of a person says',
  'src/verify/replay/open-redis-connection.ts': 'signs in to Redis',
  'src/bootstrap/device/organization-provider.ts': 'authenticates the server to the provider of the organization',
  'src/bootstrap/serve/prepare-release.ts': 'fills in the document of whoever may have it',
  'src/cli/bootstrap/served-secrets.ts': 'compares a secret that was read again with the one before',
  'src/api/send-request.ts': 'authorizes the request to the API; keeps what was sent out of what is shown',
  'src/api/token-exchange.ts': 'sends the assertion',
  'src/cli/doctor/examine-sign-in.ts': 'reads what the token of a sign-in says of itself',
  'src/cli/doctor/exchange.ts':
    'reads what an identity token says of itself; verifies an identity token as the stand-in does',
  'src/cli/gateway/policy.ts': 'reads what a token says of itself, for the rules of a policy',
  'src/cli/gateway/keys.ts': 'hands out what the stand-in has just made, once',
  'src/cli/gateway/command.ts': 'writes the keys that the stand-in for AWS STS has just made, once',
  'src/cli/verify/command.ts': 'reads what a token says of itself',
  'src/gateway/start-sts.ts': 'signs once more what was signed with a key that it made, to compare',
  'src/gateway/credentials/token-exchange.ts': 'answers with the token that it issues',
  'src/sources/identity/fetch-identity-token.ts': 'authorizes the request for an identity token',
  'src/sources/oauth/oidc/protocol/connect-provider.ts':
    'sends a refresh token, and reads whose ID token it follows; sends the token that is to be revoked',
  'src/sources/oauth/oidc/protocol/create-configuration.ts': 'sends the secret of a client that has one',
  'src/sources/oauth/oidc/protocol/fetch-answer.ts': 'hides it where a provider repeats it',
  'src/sources/oauth/oidc/sign-in/run-device-sign-in.ts': 'sends the code of a device',
  'src/sources/exchange/exchange-assertion.ts': 'recognizes an identity token that an answer repeats',
  'src/sources/exchange/exchange-once.ts': 'makes the digest by which a used identity token is known',
  'src/sources/exchange/mint-access-token.ts': 'reads what an identity token says of itself',
  'src/sources/oauth/exchange/encode-request.ts': "sends a person's token, and keeps it out of what is repeated",
  'src/sources/oauth/exchange/exchange-subject.ts': 'reads what an ID token and an ID-JAG say of themselves',
  'src/sources/oauth/exchange/exchange-token.ts': "sees whether a person's token is a JWT",
  'src/sources/oidc-token/mint-exchange.ts':
    'reads what an issued token says of itself; compares a refused token with the one that is stored',
  'src/sources/api-key/stored-key.ts': 'writes what is kept of a key',
  'src/sources/api-key/read-key.ts': 'takes the key out of what is kept',
  'src/sources/api-key/change-key-file.ts': 'writes the file of a key',
  'src/sources/api-key/fetch-key-standing.ts': 'compares it with what the list of keys shows of each',
  'src/sources/aws/secret/mint.ts': 'takes the token out of what is stored',
  'src/verify/server/introspect.ts': 'compares what a gateway sent with the secret of introspection',
  'src/client/session/send-turn.ts': 'authorizes the turn',
  'src/client/relay/passed-headers.ts': 'authorizes what a client sends with the key of its run',
  'src/cli/run.ts': 'gives a client the key of its run',
  'src/cli/setup/try.ts': 'reads when a token ends, for the day that is played with it',
  'src/client/simulation/simulated-world.ts':
    'tells a gateway of our own what was printed; tells a gateway of our own what a person has signed in to',
  'src/client/launch/run-for-client.ts': 'a client tells a helper which credential was refused',
  'src/client/check/runs/check-runner.ts': 'a client tells a helper which credential was refused',
  'src/client/doctor/examine-credential.ts': 'keeps it out of what is shown',
}

test('a secret is revealed in places that can be counted', () => {
  const found = product.filter((file) => matches(file, /\breveal\b/)).map(({ path }) => path)
  expect(found.sort()).toEqual(Object.keys(reveals).sort())
})
