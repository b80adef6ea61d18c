import { execa } from 'execa'
import { toBundlePath } from '../tree.ts'
import { createDemoClient, createDemoDocument, minuteMs } from './demo-client.ts'
import { type EventListener, playHealthyScene, playScene } from './scene.ts'
import type { Screen } from './screen.ts'
import { type FrontKind, type Site, startSite } from './site.ts'

/** The gateways of this act as it calls them. */
export const gatewayNames: Readonly<Record<FrontKind, string>> = { nginx: 'nginx', own: 'a small one of ours' }

/** Plays a gateway that asks the verifier about every request. Gives the number of turns lost where nothing is wrong. */
export async function runGatewayAct(screen: Screen, home: string, kind: FrontKind): Promise<number> {
  await using site = await startSite(home, kind)
  const lostTurns = await playHealthyScene(screen, 'A morning with command-token, and a new key', (onEvent) =>
    runMorning(site, onEvent),
  )
  await playScene(screen, 'An administrator changes the policy', (onEvent) => runChange(site, onEvent))
  return lostTurns
}

async function runMorning(site: Site, onEvent: EventListener): Promise<void> {
  const { advance, note, ask } = await openSession(site, onEvent)
  await ask('Good morning.')
  advance(2)
  await site.issuer.rotate()
  note('administrator', 'the identity provider signs with a new key from now on')
  await ask('Is the old token still good?')
  advance(3)
  await ask('And the new one?')
}

async function runChange(site: Site, onEvent: EventListener): Promise<void> {
  const { advance, note, ask } = await openSession(site, onEvent)
  await ask('Good morning.')
  advance(2)
  await site.permit('ai-admins', 403)
  note('administrator', 'from now on the policy lets only the group ai-admins pass')
  await ask('And me?')
  for (const line of await askDoctor(site)) note('doctor', `doctor: ${line}`)
  advance(1)
  await site.permit('ai-*', 400)
  note('administrator', 'the policy lets every group pass whose name begins with ai-')
  await ask('And now?')
}

async function openSession(site: Site, onEvent: EventListener) {
  const { client, advance, now } = createDemoClient(createDemoDocument(site.url, toCredential(site)), site.env, onEvent)
  const session = await client.startSession()
  const note = (who: 'administrator' | 'model' | 'doctor', text: string) =>
    onEvent({ type: 'outside', who, text, at: now() })
  return {
    note,
    advance: (minutes: number) => advance(minutes * minuteMs),
    ask: async (text: string) => {
      const before = site.model.records.length
      await session.sendTurn(text)
      for (const { headers } of site.model.records.slice(before)) note('model', `model: asked by ${headers['x-user']}`)
    },
  }
}

/** The helper stores no token, so that each run is visible. */
function toCredential({ command, args }: Site): Record<string, unknown> {
  const ttlSec = 240
  const own = ['--cache', 'none', '--client-ttl', String(ttlSec)]
  return { kind: 'helper-script', command, args: [...args, ...own], ttlSec, timeoutSec: 30 }
}

/** Runs `gatepass doctor`, and returns its lines about the gateway's answer. */
async function askDoctor(site: Site): Promise<string[]> {
  const { url: baseUrl, env } = site
  const inference = { provider: 'gateway', baseUrl, credential: toCredential(site) }
  const input = JSON.stringify({ $schemaVersion: 2, inference })
  const { stdout } = await execa(process.execPath, [toBundlePath('gatepass'), 'doctor', '--yes', '--json', '-'], {
    input,
    env,
    extendEnv: false,
    reject: false,
  })
  const { parts } = JSON.parse(stdout) as { parts: { part: string; lines: string[]; hint?: string }[] } // our own
  const { lines = [], hint } = parts.find(({ part }) => part === 'gateway') ?? {}
  return [...lines.slice(-1), ...(hint === undefined ? [] : [`hint: ${hint}`])]
}
