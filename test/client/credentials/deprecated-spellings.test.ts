import { expect, test } from 'vitest'
import type { ConfigDocument } from '../../../src/config/document.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { startTestClient } from '../session/test-client.ts'
import { startTestGateway } from '../session/test-gateway.ts'
import { renderSignIn, renderTimeline, renderTurn } from '../timeline.ts'
import { createMadeUpProvider } from './made-up-sign-in.ts'

const oidc = { clientId: 'desktop', issuer: 'https://login.example.com', redirectPort: 8400 }

/** Plays one turn with the text of a flat document; gives the timeline, and the provider that the client signs in with. */
async function play(keys: Record<string, unknown>) {
  const { url } = await startTestGateway()
  const flat = { inferenceProvider: 'gateway', inferenceGatewayBaseUrl: url, ...keys }
  const { document } = parseDocument(Buffer.from(JSON.stringify(flat)))
  const { openSignIn, opened } = createMadeUpProvider()
  const inference = (document as ConfigDocument).inference ?? {} // it can be read
  const { client, events } = startTestClient(url, undefined, inference, { world: { openSignIn } })
  await (await client.startSession()).sendTurn('x')
  return { timeline: renderTimeline(events), opened }
}

const settings = {
  ...oidc,
  bearerTokenType: 'id_token',
  appendOfflineAccess: true,
  redirectHost: '127.0.0.1',
  additionalRedirectReferrerHosts: [],
}

test.each([
  ['the new spelling', { inferenceCredentialKind: 'external-idp', inferenceIdpOidc: oidc }],
  ['1: interactive with inferenceGatewayOidc', { inferenceCredentialKind: 'interactive', inferenceGatewayOidc: oidc }],
  ['2: the scheme sso', { inferenceGatewayAuthScheme: 'sso', inferenceGatewayOidc: oidc }],
  [
    '3: inferenceGatewayOidcAuthFlow',
    { inferenceCredentialKind: 'external-idp', inferenceGatewayOidcAuthFlow: 'browser', inferenceIdpOidc: oidc },
  ],
  ['4: inferenceGatewayOidc', { inferenceCredentialKind: 'external-idp', inferenceGatewayOidc: oidc }],
  ['4, without a kind', { inferenceGatewayOidc: oidc }],
  [
    '2, 3 and 4, every value a text as in managed preferences',
    {
      inferenceGatewayAuthScheme: 'sso',
      inferenceGatewayOidcAuthFlow: 'browser',
      inferenceGatewayOidc: JSON.stringify(oidc),
    },
  ],
])('%s signs a person in', async (_, keys) => {
  expect(await play(keys)).toEqual({ timeline: `${renderSignIn()}\n${renderTurn()}\n`, opened: [settings] })
})

test.each([
  [
    '2, without a provider',
    { inferenceGatewayAuthScheme: 'sso' },
    `09:00:00  session 1 starts (interactive)
09:00:00  turn lost (unsupported-kind): kind "interactive" without oidc is a sign-in at the gateway itself, whose protocol no specification shows, so it cannot be tried here
`,
  ],
  [
    '3, with the broker',
    { inferenceGatewayAuthScheme: 'sso', inferenceGatewayOidcAuthFlow: 'broker', inferenceGatewayOidc: oidc },
    `09:00:00  session 1 starts (interactive)
09:00:00  turn lost (broker-needed): authFlow "broker" needs the operating system's broker: on Windows the Web Account Manager (WAM), a part of Windows; on macOS the Company Portal app with its single sign-on extension; on Linux the identity broker (microsoft-identity-broker, with the Intune portal); there the client asks it for a token of the account that the device is signed in with, and no browser opens. This stand-in has no broker, so no turn is sent
`,
  ],
])('%s says why nobody is signed in here', async (_, keys, words) => {
  expect(await play(keys)).toEqual({ timeline: words, opened: [] })
})
