import { createClientRuns } from '../../src/client/launch/run-for-client.ts'
import type { ClientSettings } from '../../src/client/session/client.ts'
import { type ClientName, clients } from '../../src/contract/clients.ts'
import { createDemoClient, createDemoDocument } from './demo-client.ts'
import { type EventListener, playScene } from './scene.ts'
import type { Screen } from './screen.ts'
import { type FrontKind, type Site, startSite } from './site.ts'

/** The clients of this act, each of which starts a helper in its own way and reads another format. */
const names: readonly ClientName[] = ['desktop', 'codex', 'api-key-helper']

/** Plays three clients that run one helper, which keeps its token. Gives the number of turns that were lost. */
export async function runClientsAct(screen: Screen, home: string, kind: FrontKind): Promise<number> {
  await using site = await startSite(home, kind)
  const events = await playScene(screen, 'A morning with command-token, in three clients', (onEvent) =>
    runMorning(site, onEvent),
  )
  return events.filter(({ type }) => type === 'turn-failed').length
}

async function runMorning(site: Site, onEvent: EventListener): Promise<void> {
  for (const name of names) {
    const { client, now } = createDemoClient(createDocument(site, name), site.env, onEvent, toSettings(site, name))
    const note = (who: 'person' | 'platform', text: string) => onEvent({ type: 'outside', who, text, at: now() })
    note('person', `dana starts ${clients[name].title}`)
    const session = await client.startSession()
    await session.sendTurn('Good morning.')
    const given = site.issuer.asked.filter((path) => path === '/token').length
    note('platform', `the identity provider has given ${given === 1 ? 'one token' : `${given} tokens`}`)
  }
}

/** With a ttl of a minute, a token of five minutes serves every client that comes within three. */
function createDocument({ url, command, args }: Site, name: ClientName) {
  const ttlSec = 60
  const own = ['--format', clients[name].format, '--client-ttl', String(ttlSec)]
  return createDemoDocument(url, {
    kind: 'helper-script',
    command,
    args: [...args, ...own],
    ttlSec,
    timeoutSec: 30,
  })
}

function toSettings({ url }: Site, name: ClientName): Pick<ClientSettings, 'otherClient' | 'world'> {
  if (name === 'desktop') return {}
  const otherClient = clients[name]
  return { otherClient, world: { runHelper: createClientRuns(otherClient, url).runHelper } }
}
