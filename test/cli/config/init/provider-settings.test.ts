import { expect, test } from 'vitest'
import { runCli } from '../../../../src/cli/run-cli.ts'
import { createTestCli } from '../../run-here.ts'

async function init(issuer: string, ...more: string[]) {
  const base = ['config', 'init', '--kind', 'external-idp', '--base-url', 'https://gateway.example']
  const { cli, written } = await createTestCli([...base, '--client-id', 'desk', '--issuer', issuer, ...more])
  await runCli(cli)
  const { clientId, issuer: _, ...rest } = JSON.parse(written.stdout).inference.credential.oidc
  return { status: written.status, rest, stderr: written.stderr.split('\n').filter(Boolean) }
}

const path = 'gatepass: /callback is the path that Gatepass uses; for another client, ask its vendor for the path'

test('the settings that the provider needs are written, with words on how to register the client', async () => {
  expect(await init('https://login.microsoftonline.com/acme/v2.0')).toEqual({
    status: 0,
    rest: { redirectHost: 'localhost' },
    stderr: [
      'gatepass: register exactly http://localhost/callback in its app registration, under Authentication, on the platform "Mobile and desktop applications", for the client desk; without a port, because every port is allowed',
      'gatepass: the token for the gateway: the access token for a scope of an API of your own, as its audience is the gateway; the ID token is for the client itself',
      path,
    ],
  })
  expect(await init('https://accounts.google.com')).toEqual({
    status: 0,
    rest: { appendOfflineAccess: false },
    stderr: [
      'gatepass: create a client of the type "Desktop app"; it needs no redirect URI: every port of this machine is allowed',
      'gatepass: the token for the gateway: the ID token, because only Google can read its access tokens',
      'gatepass: warning: inference.credential.oidc.clientId: Google gives a desktop client a secret and, as its users report, refuses a sign-in without it (client-secret-needed)',
      'gatepass: hint: use a helper script that reads it from a file (client-secret-file): a document has no field for it',
      'gatepass: warning: inference.credential.oidc.issuer: Google gives no refresh token without access_type=offline and prompt=consent, so people sign in again whenever a token expires: 8 times in a working day of 8 hours, because ID tokens of Google live 60 min unless that is changed (refresh-token-unasked)',
      'gatepass: hint: use a helper script that can send them, or accept it',
    ],
  })
})

const okta = 'https://acme.okta.com/oauth2/default'

test('a port that the provider compares is proposed', async () => {
  expect((await init(okta)).rest).toEqual({ redirectPort: 28_400 })
})

test('a flag takes precedence over any proposal', async () => {
  const given = await init(okta, '--redirect-port', '8400', '--redirect-host', 'localhost')
  expect(given).toEqual({
    status: 0,
    rest: { redirectPort: 8400, redirectHost: 'localhost' },
    stderr: [
      'gatepass: register exactly http://localhost:8400/callback in the application, under General, as a "Sign-in redirect URI", for the client desk',
      'gatepass: the token for the gateway: the access token of a custom authorization server, whose audience is set there; with the issuer of the organization itself the ID token',
      path,
    ],
  })
})

test('an unknown provider gets the defaults without a message', async () => {
  expect(await init('https://id.example.com')).toEqual({ status: 0, rest: {}, stderr: [] })
})
