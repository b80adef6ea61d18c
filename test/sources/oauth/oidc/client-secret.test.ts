import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { fetchInTime } from '../../../../src/runtime/network/fetch-in-time.ts'
import type { SignInPrompt } from '../../../../src/sources/oauth/flow.ts'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import { connectProvider } from '../../../../src/sources/oauth/oidc/protocol/connect-provider.ts'
import { runDeviceSignIn } from '../../../../src/sources/oauth/oidc/sign-in/run-device-sign-in.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { plainSettings, requireSignedIn, signIn, startProviderParts } from './oidc-bench.ts'
import { as, startTestProvider } from './people.ts'

const secret = 'canary-of-the-client: 100% & more'

/** The issuer's metadata have both ways; the client may use one of them. */
const startSecretive = (sent: 'basic' | 'post') => startTestProvider({ clientSecret: { value: secret, sent } })

async function writeSecret(): Promise<string> {
  const path = join(await temporaryDirectory(), 'client.secret')
  await writeFile(path, `${secret}\n`)
  return path
}

test.each<[sent: 'basic' | 'post', clientAuth: OidcSettings['clientAuth']]>([
  ['post', undefined],
  ['post', 'post'],
  ['basic', 'basic'],
])('a secret that the provider wants by %s goes into each request (client-auth %s)', async (sent, clientAuth) => {
  const provider = await startSecretive(sent)
  const settings = { ...plainSettings(provider.issuer), clientSecretFile: await writeSecret(), clientAuth }
  const inBrowser = requireSignedIn(await signIn(settings, as()))
  const parts = await startProviderParts()
  const show = async (prompt: SignInPrompt) => void (await as()(prompt))
  const { connection, refresh, revoke } = await connectProvider(settings, { ...parts, fetch: fetchInTime })
  const deadline = new Deadline({ seconds: 30, hint: '' }, { elapsedMs: () => 0, pause: async () => {} })
  const device = { tools: { ...parts, show, call: { ...parts.call, deadline } }, way: 'device' } as const
  const { subject } = await runDeviceSignIn(connection, device)
  const { refreshToken } = await refresh(inBrowser.signIn.tokens.refreshToken!, inBrowser.signIn.tokens, async () => {})
  const revoked = await revoke(refreshToken!, 'refresh_token')
  expect({ subject, revoked, shown: /canary/.exec(inBrowser.prompt.address) }).toEqual({
    subject: 'alice',
    revoked: 'revoked',
    shown: null,
  })
})

test('without its secret the sign-in is refused, and nothing is kept', async () => {
  const provider = await startSecretive('post')
  expect(await signIn(plainSettings(provider.issuer), as())).toEqual({
    failure: [
      'not-configured',
      `the sign-in to ${new URL(provider.issuer).host} names a client that the provider does not know, or that has to use a secret (invalid_client); it says: client authentication failed`,
      'tell your administrator: correct the client ID; in its registration, make it a public client (a native application with PKCE)',
    ],
    stored: undefined,
  })
})

test('a wrong secret is named by its file without being shown', async () => {
  const provider = await startTestProvider({ clientSecret: { value: 'another', sent: 'post' } })
  const clientSecretFile = await writeSecret()
  const end = await signIn({ ...plainSettings(provider.issuer), clientSecretFile }, as())
  expect(end).toEqual({
    failure: [
      'not-configured',
      `the sign-in to ${new URL(provider.issuer).host} names a client that the provider does not know, or whose secret is another one or is sent in another way (invalid_client); it says: client authentication failed`,
      `tell your administrator: correct client-id, the secret in ${clientSecretFile}, or client-auth`,
    ],
  })
})

test('a missing secret is named before anybody is asked', async () => {
  const provider = await startSecretive('post')
  const file = join(await temporaryDirectory(), 'absent')
  expect(await signIn({ ...plainSettings(provider.issuer), clientSecretFile: file }, as())).toEqual({
    failure: [
      'not-configured',
      `the file ${file}, which should hold the secret of the client, does not exist or is empty`,
      'put the secret there, or correct client-secret-file',
    ],
    stored: undefined,
  })
  expect(provider.requests('discovery')).toEqual([])
})
