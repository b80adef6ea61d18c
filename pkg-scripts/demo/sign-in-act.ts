import type { ConfigDocument } from '../../src/config/document.ts'
import { createPerson } from '../../test/stand-ins/provider/person/create-person.ts'
import { createDemoClient, createDemoDocument, minuteMs, parseDemoDocument } from './demo-client.ts'
import { type EventListener, playHealthyScene, playScene } from './scene.ts'
import type { Screen } from './screen.ts'
import { demoKey, type Organization, startOrganization } from './start-organization.ts'

/** Plays a person who signs in with an identity provider. Returns the number of turns lost where nothing is wrong. */
export async function runSignInAct(screen: Screen): Promise<number> {
  await using organization = await startOrganization()
  const lostTurns = await playHealthyScene(screen, 'A morning with external-idp, in two windows', (onEvent) =>
    runMorning(organization, onEvent),
  )
  await playScene(screen, "An administrator ends the person's sign-in", (onEvent) => runEnd(organization, onEvent))
  for (const { title, document } of createOtherKinds(organization))
    await playScene(screen, title, async (onEvent) => {
      const session = await createClient(document, onEvent).client.startSession()
      await session.sendTurn('Hello?')
    })
  return lostTurns
}

async function runMorning(organization: Organization, onEvent: EventListener): Promise<void> {
  const { client, advance, now } = createClient(createExternalIdp(organization), onEvent)
  const [first, second] = await Promise.all([client.startSession(), client.startSession()])
  await first.sendTurn('Good morning.')
  advance(65 * minuteMs)
  await second.sendTurn('Is the token still good?')
  advance(20 * minuteMs)
  organization.gateway.revokeAll()
  onEvent({ type: 'outside', who: 'administrator', text: 'an administrator revokes every token', at: now() })
  await first.sendTurn('And now?')
  advance(20 * minuteMs)
  await second.sendTurn('Thank you.')
}

async function runEnd(organization: Organization, onEvent: EventListener): Promise<void> {
  const { client, advance, now } = createClient(createExternalIdp(organization), onEvent)
  const session = await client.startSession()
  advance(65 * minuteMs)
  organization.provider.revokeEverything()
  onEvent({ type: 'outside', who: 'administrator', text: 'an administrator signs everybody out', at: now() })
  await session.sendTurn('Hello?')
  await (await client.startSession()).sendTurn('Hello again.')
}

/** Returns the provider in the other kind that signs in, in the oldest spelling; a key; and the kinds that are not tried here. */
function createOtherKinds(organization: Organization) {
  const { provider, gateway } = organization
  const oidc = { clientId: provider.clientId, issuer: provider.issuer }
  return [
    {
      title: 'interactive with an identity provider, in the oldest spelling (sso)',
      document: parseDemoDocument({
        inferenceProvider: 'gateway',
        inferenceGatewayBaseUrl: gateway.url,
        inferenceGatewayAuthScheme: 'sso',
        inferenceGatewayOidc: oidc,
      }),
    },
    {
      title: 'static: a key in the document',
      document: createDemoDocument(gateway.url, { kind: 'static', apiKey: demoKey }),
    },
    {
      title: 'interactive without an identity provider: a sign-in at the gateway itself',
      document: createDemoDocument(gateway.url, { kind: 'interactive' }),
    },
  ]
}

function createExternalIdp({ provider, gateway }: Organization) {
  const oidc = { clientId: provider.clientId, issuer: provider.issuer }
  return createDemoDocument(gateway.url, { kind: 'external-idp', oidc })
}

/** Creates a client with a person, whose browser has no window. */
function createClient(document: ConfigDocument, onEvent: EventListener) {
  const person = createPerson()
  const created = createDemoClient(document, {}, onEvent, {
    openAddress: async (address) => {
      onEvent({ type: 'outside', who: 'person', text: 'alice enters her name and her password', at: created.now() })
      await person.open(address)
    },
  })
  return created
}
