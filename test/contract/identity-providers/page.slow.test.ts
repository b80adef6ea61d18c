import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { toOidcSettings } from '../../../src/client/sign-in/to-oidc-settings.ts'
import { describeRedirect } from '../../../src/contract/identity-providers/describe-redirect.ts'
import { openListener } from '../../../src/sources/oauth/listener/open-listener.ts'
import type { OidcSettings } from '../../../src/sources/oauth/oidc/settings.ts'
import { requireSignedIn, signIn } from '../../sources/oauth/oidc/oidc-bench.ts'
import { as, startTestProvider } from '../../sources/oauth/oidc/people.ts'
import type { ProviderSettings, RedirectRule } from '../../stand-ins/provider/settings.ts'
import { shownProviders } from './page.ts'

/** How the stand-in imitates a provider, and what comes of a sign-in with the document on the page. */
interface Imitation {
  readonly redirectRule: RedirectRule
  readonly refreshTokens: NonNullable<ProviderSettings['refreshTokens']>
  readonly resources?: Readonly<Record<string, string>>
  readonly defaultResource?: string
  /** What is asked for, and whose token the gateway gets. */
  readonly expected: { readonly scope: string; readonly aud: string; readonly isRefreshed: boolean }
}

const gateway = 'https://gateway.example.com'

const imitations: Readonly<Record<string, Imitation>> = {
  'Microsoft Entra ID': {
    redirectRule: 'any port',
    refreshTokens: 'scope',
    resources: { 'api://gateway.example.com': 'api://gateway.example.com/access' },
    defaultResource: 'api://gateway.example.com',
    expected: {
      scope: 'api://gateway.example.com/access offline_access',
      aud: 'api://gateway.example.com',
      isRefreshed: true,
    },
  },
  Okta: {
    redirectRule: 'exact',
    refreshTokens: 'scope',
    resources: { [gateway]: 'gateway.use' },
    defaultResource: gateway,
    expected: { scope: 'openid gateway.use offline_access', aud: gateway, isRefreshed: true },
  },
  Google: {
    redirectRule: 'any port and path',
    refreshTokens: 'never',
    expected: { scope: 'openid email', aud: 'client', isRefreshed: false },
  },
  Keycloak: {
    redirectRule: 'any port',
    refreshTokens: 'scope',
    resources: { [gateway]: 'gateway' },
    defaultResource: gateway,
    expected: { scope: 'openid gateway offline_access', aud: gateway, isRefreshed: true },
  },
  Auth0: {
    redirectRule: 'exact',
    refreshTokens: 'scope',
    expected: { scope: 'openid email offline_access', aud: 'client', isRefreshed: true },
  },
  PingFederate: {
    redirectRule: 'exact',
    refreshTokens: 'always',
    resources: { [gateway]: 'gateway' },
    expected: { scope: 'openid gateway offline_access', aud: gateway, isRefreshed: true },
  },
  'AD FS': {
    redirectRule: 'exact',
    refreshTokens: 'always',
    resources: { [gateway]: 'user_impersonation' },
    expected: { scope: 'openid', aud: gateway, isRefreshed: true },
  },
  'Amazon Cognito': {
    redirectRule: 'exact',
    refreshTokens: 'always',
    expected: { scope: 'openid email', aud: 'client', isRefreshed: true },
  },
  Salesforce: {
    redirectRule: 'exact',
    refreshTokens: 'scope',
    expected: { scope: 'openid offline_access', aud: 'client', isRefreshed: true },
  },
}

/** In place of the port on the page, which another program of this machine may have. */
async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo // a TCP server, which listens
  await new Promise((closed) => server.close(closed))
  return port
}

/** The settings of the page, with a stand-in in place of the provider that keeps its rules. */
async function imitate(heading: string, document: string) {
  const { oidc } = JSON.parse(document).inference.credential
  const shown = { ...oidc, ...(oidc.redirectPort && { redirectPort: await findFreePort() }) }
  const { expected, ...rules } = imitations[heading]!
  const { uri } = describeRedirect(shown)
  const redirectUris = [uri ?? 'http://127.0.0.1/unused']
  const provider = await startTestProvider({ ...rules, redirectUris, clientId: oidc.clientId, consent: 'given' })
  const { issuer, urls } = provider
  const address = oidc.issuer
    ? { issuer }
    : { issuer: undefined, authorizationUrl: urls.authorization, tokenUrl: urls.token }
  return { settings: { ...toOidcSettings(shown), ...address } as OidcSettings, expected, provider }
}

test.each(shownProviders)('a person signs in with the settings for $heading', async ({ heading, document }) => {
  const { settings, expected, provider } = await imitate(heading, document)
  const end = requireSignedIn(await signIn(settings, as()))
  const { searchParams } = new URL(end.prompt.address)
  const { tokens } = end.signIn
  const token = settings.bearerTokenType === 'id_token' ? tokens.idToken : tokens.accessToken
  const { aud } = decodeJwt(token?.reveal() ?? '')
  expect({
    seen: end.seen,
    scope: searchParams.get('scope'),
    resource: searchParams.get('resource'),
    aud: aud === settings.clientId ? 'client' : aud,
    isRefreshed: tokens.refreshToken !== undefined,
    exchanges: provider.requests('token').map(({ status }) => status),
  }).toEqual({ seen: 'You are signed in', resource: settings.resource ?? null, exchanges: [200], ...expected })
})

test.each<[heading: string, wrong: Partial<OidcSettings>]>([
  ['Microsoft Entra ID', { redirectHost: '127.0.0.1' }],
  ['Microsoft Entra ID', { redirectPath: '/Callback' }],
  ['Okta', { redirectPort: undefined }],
  ['Keycloak', { redirectPath: '/other' }],
  ['Salesforce', { redirectHost: '127.0.0.1' }],
])('%s: with %j the browser stays on a page of the provider', async (heading, wrong) => {
  const { document } = shownProviders.find((shown) => shown.heading === heading)!
  const { settings, provider } = await imitate(heading, document)
  const seen = Promise.withResolvers<string>()
  const opened: Awaited<ReturnType<typeof openListener>>[] = []
  const openAndKeep: typeof openListener = async (options, subject) => {
    const listener = await openListener(options, subject)
    opened.push(listener)
    return listener
  }
  // It waits for a browser that never comes back.
  void signIn({ ...settings, ...wrong }, async (prompt) => seen.resolve(await as()(prompt)), {
    openListener: (options) => openAndKeep(options, 'Acme'),
  })
  expect(await seen.promise).toBe('The provider cannot go on')
  expect(provider.requests('token')).toEqual([])
  await Promise.all(opened.map((listener) => listener.close()))
})
