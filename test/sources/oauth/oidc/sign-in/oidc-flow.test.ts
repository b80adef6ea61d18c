import { expect, test } from 'vitest'
import type { Deadline } from '../../../../../src/runtime/deadline.ts'
import { Secret } from '../../../../../src/runtime/secret.ts'
import type { OidcSettings } from '../../../../../src/sources/oauth/oidc/oidc-settings.ts'
import type { IssuedTokens } from '../../../../../src/sources/oauth/oidc/provider.ts'
import { createOidcFlow } from '../../../../../src/sources/oauth/oidc/sign-in/oidc-flow.ts'
import { createMemoryStore } from '../../../../../src/sources/oauth/store/memory-store.ts'
import { createStoredSignIn } from '../../../../../src/sources/oauth/store/sign-in-store.ts'
import { plainSettings, signIn, startProviderParts } from '../oidc-bench.ts'

const issuer = 'https://login.example.com/tenant'
const token = new Secret('canary')
const from = (sec: number) => new Date(Date.now() + sec * 1000)

test.each<[name: string, tokens: IssuedTokens | undefined, isSignedIn: boolean]>([
  ['nothing', undefined, false],
  ['a token that lives', { idToken: token, expiresAt: from(60) }, true],
  ['a token whose end is unknown', { idToken: token }, true],
  ['a token that has ended', { idToken: token, expiresAt: from(-1) }, false],
  ['another token than the one that is wanted', { accessToken: token, expiresAt: from(60) }, false],
  ['a refresh token beside one that has ended', { idToken: token, expiresAt: from(-1), refreshToken: token }, true],
])('a person is signed in, or not, where the store has %s', async (_, tokens, isSignedIn) => {
  const { host, call } = await startProviderParts()
  const store = createMemoryStore()
  await store.change(call.deadline, { make: async () => tokens && createStoredSignIn(tokens, Date.now()) })
  // The deadline of the run that began it may be long over.
  const clock = { ...host.clock, elapsedMs: () => 3_600_000 }
  const inTime = {
    ...store,
    read: (deadline: Deadline) => deadline.during('file', 'the store', () => store.read(deadline)),
  }
  const flow = createOidcFlow(plainSettings(issuer), { host: { clock }, store: inTime, way: 'auto' })
  expect([flow.subject, await flow.isSignedIn()]).toEqual(['login.example.com', isSignedIn])
})

test('a sign-in that the provider wants renewed by the person does not count', async () => {
  const { host, call } = await startProviderParts()
  const store = createMemoryStore()
  const signedIn = createStoredSignIn({ idToken: token, refreshToken: token }, Date.now())
  await store.change(call.deadline, { make: async () => ({ ...signedIn, challenge: { maxAge: 5 } }) })
  expect(await createOidcFlow(plainSettings(issuer), { host, store, way: 'auto' }).isSignedIn()).toBe(false)
})

test('runs that ask for the same share a sign-in, however the browser comes back', async () => {
  const { host } = await startProviderParts()
  const idOf = (more: Partial<OidcSettings>) =>
    createOidcFlow({ ...plainSettings(issuer), ...more }, { host, store: createMemoryStore(), way: 'auto' }).id
  const same = idOf({ redirectPort: 4000, redirectHost: 'localhost', responseMode: 'form_post' })
  const others = [
    { clientId: 'x' },
    { scopes: 'email' },
    { resource: 'https://x' },
    { parameters: { login_hint: 'x' } },
  ]
  const ids = [{}, ...others].map(idOf)
  expect({ same, different: [...new Set(ids)] }).toEqual({ same: ids[0], different: ids })
})

test('a parameter that would undo the protection of a sign-in is refused before anything is asked', async () => {
  const settings = { ...plainSettings(issuer), parameters: { prompt: 'login', code_challenge: 'x' } }
  expect(await signIn(settings, async () => {})).toEqual({
    failure: [
      'not-configured',
      'the parameter code_challenge is set for the authorization request, but the sign-in sets it itself',
      'remove code_challenge from the parameters of the authorization request',
    ],
    stored: undefined,
  })
})

test('the hint names the error page of the provider when nobody comes back', async () => {
  const settings = plainSettings('https://id.example.com/realms/acme')
  const { host } = await startProviderParts()
  const flow = createOidcFlow(settings, { host, store: createMemoryStore(), way: 'auto' })
  expect(await flow.explainUnfinished?.()).toBe(
    'start again, which begins a new one; if Keycloak shows "Invalid parameter: redirect_uri" or "Client not found", tell your administrator: register exactly http://127.0.0.1/callback in the client, under Settings, as a "Valid redirect URI", for the client gatepass; without a port, because every port is allowed',
  )
})
