import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { describeRedirect } from '../../../src/contract/identity-providers/describe-redirect.ts'
import { openListener } from '../../../src/sources/oauth/listener/open-listener.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/oidc-settings.ts'
import { findFreePort } from '../../gateways/gateway-process.ts'
import { requireSignedIn, signIn } from '../../sources/oauth/oidc/oidc-bench.ts'
import { as, startTestProvider } from '../../sources/oauth/oidc/people.ts'
import type { ProviderSettings, RedirectRule } from '../../stand-ins/provider/settings.ts'
import { shownProviders } from './page.ts'
import { toDocumentSettings, toHelperSettings } from './shown-settings.ts'

/** How the stand-in imitates a provider. */
interface Imitation {
  readonly redirectRule: RedirectRule
  readonly refreshTokens: NonNullable<ProviderSettings['refreshTokens']>
  /** The API that an access token is for, with its scope; where it is said by `resource`, or without that. */
  readonly api?: { readonly name: string; readonly scope: string; readonly isSaid?: true }
  /** The scopes that a sign-in with the document asks for, and whether there is a refresh token. */
  readonly expected: { readonly scope: string; readonly isRefreshed: boolean }
}

const gateway = 'https://gateway.example.com'
const entraApi = { name: 'api://gateway.example.com', scope: 'api://gateway.example.com/access' }

const imitations: Readonly<Record<string, Imitation>> = {
  'Microsoft Entra ID': {
    redirectRule: 'any port',
    refreshTokens: 'scope',
    api: entraApi,
    expected: { scope: `${entraApi.scope} offline_access`, isRefreshed: true },
  },
  Okta: {
    redirectRule: 'exact',
    refreshTokens: 'scope',
    api: { name: gateway, scope: 'gateway.use' },
    expected: { scope: 'openid gateway.use offline_access', isRefreshed: true },
  },
  Google: {
    redirectRule: 'any port and path',
    refreshTokens: 'never',
    expected: { scope: 'openid email', isRefreshed: false },
  },
  Keycloak: {
    redirectRule: 'any port',
    refreshTokens: 'scope',
    api: { name: gateway, scope: 'gateway' },
    expected: { scope: 'openid gateway offline_access', isRefreshed: true },
  },
  Auth0: {
    redirectRule: 'exact',
    refreshTokens: 'scope',
    api: { name: gateway, scope: 'gateway:use' },
    expected: { scope: 'openid email offline_access', isRefreshed: true },
  },
  PingFederate: {
    redirectRule: 'exact',
    refreshTokens: 'always',
    api: { name: gateway, scope: 'gateway', isSaid: true },
    expected: { scope: 'openid gateway offline_access', isRefreshed: true },
  },
  'AD FS': {
    redirectRule: 'exact',
    refreshTokens: 'always',
    api: { name: gateway, scope: 'user_impersonation', isSaid: true },
    expected: { scope: 'openid', isRefreshed: true },
  },
  'Amazon Cognito': {
    redirectRule: 'exact',
    refreshTokens: 'always',
    expected: { scope: 'openid email', isRefreshed: true },
  },
  Salesforce: {
    redirectRule: 'exact',
    refreshTokens: 'scope',
    expected: { scope: 'openid offline_access', isRefreshed: true },
  },
}

/** The settings of the page, with a stand-in in place of the provider that keeps its rules. */
async function imitate(heading: string, settings: OidcSettings) {
  const shown = { ...settings, ...(settings.redirectPort && { redirectPort: await findFreePort() }) }
  const { expected, api, ...rules } = imitations[heading]!
  const provider = await startTestProvider({
    ...rules,
    ...(api && { resources: { [api.name]: api.scope } }),
    ...(api && !api.isSaid && { defaultResource: api.name }),
    redirectUris: [describeRedirect(shown).uri ?? 'http://127.0.0.1/unused'],
    clientId: settings.clientId,
    consent: 'given',
  })
  const { authorization: authorizationUrl, token: tokenUrl } = provider.urls
  const address = settings.issuer ? { issuer: provider.issuer } : { issuer: undefined, authorizationUrl, tokenUrl }
  return { settings: { ...shown, ...address }, expected, api, provider }
}

/** Returns the pages that the person saw, and the owner of the token that the gateway gets. */
async function observe({ settings, provider }: Awaited<ReturnType<typeof imitate>>) {
  const { seen, prompt, signIn: stored } = requireSignedIn(await signIn(settings, as()))
  const { searchParams } = new URL(prompt.address)
  const token = settings.bearerTokenType === 'id_token' ? stored.tokens.idToken : stored.tokens.accessToken
  const { aud } = decodeJwt(token?.reveal() ?? '')
  return {
    seen,
    aud: aud === settings.clientId ? 'the client' : aud,
    asked: { scope: searchParams.get('scope'), resource: searchParams.get('resource') ?? undefined },
    isRefreshed: stored.tokens.refreshToken !== undefined,
    exchanges: provider.requests('token').map(({ status }) => status),
  }
}

test.each(shownProviders)('a person signs in with the document for $heading', async (shown) => {
  const imitated = await imitate(shown.heading, toDocumentSettings(shown))
  const { settings, expected, api } = imitated
  expect(await observe(imitated)).toEqual({
    seen: 'You are signed in',
    aud: settings.bearerTokenType === 'id_token' ? 'the client' : api?.name,
    asked: { scope: expected.scope, resource: settings.resource },
    isRefreshed: expected.isRefreshed,
    exchanges: [200],
  })
})

test.each(shownProviders)('a person signs in with the settings of oidc-token for $heading', async (shown) => {
  const imitated = await imitate(shown.heading, toHelperSettings(shown))
  const { settings, api } = imitated
  const { seen, aud, exchanges } = await observe(imitated)
  expect({ seen, aud, exchanges }).toEqual({
    seen: 'You are signed in',
    aud: settings.bearerTokenType === 'id_token' ? 'the client' : api?.name,
    exchanges: [200],
  })
})

test.each<[heading: string, wrong: Partial<OidcSettings>]>([
  ['Microsoft Entra ID', { redirectHost: '127.0.0.1' }],
  ['Microsoft Entra ID', { redirectPath: '/Callback' }],
  ['Okta', { redirectPort: undefined }],
  ['Keycloak', { redirectPath: '/other' }],
  ['Salesforce', { redirectHost: '127.0.0.1' }],
])('%s keeps the browser on a page of its own with %j', async (heading, wrong) => {
  const shown = shownProviders.find((section) => section.heading === heading)!
  const { settings, provider } = await imitate(heading, toDocumentSettings(shown))
  const seen = Promise.withResolvers<string>()
  const opened: Awaited<ReturnType<typeof openListener>>[] = []
  const openAndKeep: typeof openListener = async (options, names) => {
    const listener = await openListener(options, names)
    opened.push(listener)
    return listener
  }
  // It waits for a browser that never comes back.
  void signIn({ ...settings, ...wrong }, async (prompt) => seen.resolve(await as()(prompt)), {
    openListener: (options) => openAndKeep(options, { subject: 'Acme' }),
  })
  expect(await seen.promise).toBe('The provider cannot go on')
  expect(provider.requests('token')).toEqual([])
  await Promise.all(opened.map((listener) => listener.close()))
})
