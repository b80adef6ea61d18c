import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import type { ClientEvent, RunCause } from '../../../src/client/client-event.ts'
import {
  type HelperRun,
  type RunHelper,
  runCredentialHelper,
} from '../../../src/client/launch/run-credential-helper.ts'
import type { Session } from '../../../src/client/session/client.ts'
import { startClient } from '../../../src/client/session/start-client.ts'
import { refreshCauseVariable } from '../../../src/contract/refresh.ts'
import type { MintCause, ObserveFleet } from '../../../src/fleet/fleet-result.ts'
import type { FleetChoice, FleetSettings } from '../../../src/fleet/fleet-settings.ts'
import { startClocks } from '../../cache/set-clock.ts'
import { cacheIn } from '../../cache/start-run.ts'
import { startTestGateway } from '../../client/session/test-gateway.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startVirtualProvider } from './virtual-provider.ts'

const midnight = Date.parse('2026-03-02T00:00:00Z')

/** An event at a desktop. */
export type FleetEvent = Parameters<ObserveFleet>[2]

/** The act of a person or a task at a moment, in milliseconds after midnight. */
export interface Deed {
  readonly at: number
  readonly event: 'begin' | 'turn' | 'task'
}

/**
 * Starts a real client with a real helper, its cache on a disk, a real provider and a real gateway. All of their clocks show the moment of
 * what is done.
 */
export async function startRealDesktop(settings: FleetSettings, choice: FleetChoice) {
  const { ttlSec, timeoutSec } = choice
  let now = midnight
  let heard: FleetEvent[] = []
  let cause: RunCause | undefined
  const fractions: number[] = []
  const home = await temporaryDirectory()
  const toClock = await startClocks()
  const provider = await startVirtualProvider({ settings, midnight, now: () => now })
  const gateway = await startTestGateway((token) =>
    provider.isGood(token) ? { ok: true } : { ok: false, reason: 'expired or revoked' },
  )
  const args = [toBundlePath('workload-token'), ...toArguments(provider.url, choice)]
  const credential = { kind: 'helper-script', command: process.execPath, args, ttlSec, timeoutSec } as const
  const runHelper: RunHelper = async (helper, context, { platform, refreshCause }) => {
    const before = { mints: provider.mints(), expiresAt: (await readEntry(home))?.expiresAt ?? 0 }
    const clock = toClock((now - Date.now()) / 60_000)
    // A clock that is set for each run hides from a helper how long the client has held a token.
    const why = { [refreshCauseVariable]: refreshCause }
    const env = { HOME: home, IDENTITY_TOKEN: identityToken, ...clock, ...why }
    const run = await runCredentialHelper(helper, context, { env, platform })
    const isMinted = provider.mints() > before.mints
    if (isMinted) {
      heard.push(`mint: ${nameCause(cause, before.expiresAt > now)}`)
      fractions.push((await readEntry(home))!.earlyFraction!)
    }
    heard.push(`run: ${nameOrigin(run, isMinted)}`)
    return run
  }
  const client = startClient({
    document: { inference: { provider: 'gateway', baseUrl: gateway.url, credential } },
    env: {},
    platform: process.platform,
    now: () => now,
    world: { runHelper },
    onEvent: (event) => {
      if (event.type === 'helper-started') cause = event.cause
      heard.push(...nameTurn(event))
    },
  })
  let session: Session | undefined
  /** A person whose session could not start opens another one. */
  const open = async () => {
    const opened = await client.startSession('interactive')
    session = heard.at(-1) === 'run: failed' ? undefined : opened
    return opened
  }
  const perform = async (event: Deed['event']) => {
    if (event === 'begin') await open()
    else if (event === 'turn') await (session ?? (await open())).sendTurn('x')
    else await (await client.startSession('scheduled-task')).sendTurn('x')
  }
  return {
    /** Does one act, and gives its result. */
    play: async ({ at, event }: Deed): Promise<readonly FleetEvent[]> => {
      heard = []
      now = midnight + at
      await provider.follow()
      await perform(event)
      return heard
    },
    /** The parts of the longest time by which this desktop renews its tokens early, as its entry states after each mint so far. */
    fractions: fractions as readonly number[],
  }
}

function toArguments(url: string, { ttlSec, timeoutSec, renewEarly }: FleetChoice): string[] {
  const target = ['--base-url', url, '--organization', 'org-1', '--federation-rule', 'rule-1']
  const identity = ['--identity', 'variable', '--identity-variable', 'IDENTITY_TOKEN']
  return [
    ...target,
    ...identity,
    '--client-ttl',
    `${ttlSec}`,
    '--client-timeout',
    `${timeoutSec}`,
    '--renew-early',
    `${renewEarly}`,
  ]
}

/** Nobody here looks at its signature. */
const identityToken = [
  { alg: 'RS256' },
  { iss: 'https://issuer.example', sub: 'x', aud: 'platform', exp: 4_000_000_000 },
  {},
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')

interface Entry {
  readonly expiresAt: number
  readonly earlyFraction?: number
}

/** Reads the one entry of this cache. */
async function readEntry(home: string): Promise<Entry | undefined> {
  const directory = cacheIn({ home })
  const names = await readdir(directory).catch(() => []) // nothing was minted yet
  const name = names.find((found) => found.endsWith('.json'))
  return name === undefined ? undefined : (JSON.parse(await readFile(join(directory, name), 'utf8')) as Entry) // ours
}

function nameCause(cause: RunCause | undefined, hadToken: boolean): MintCause {
  if (cause === 'unauthorized') return 'refusal'
  return hadToken ? 'renewal' : 'first'
}

function nameOrigin(run: HelperRun, isMinted: boolean) {
  if (!run.ok) return 'failed'
  if (isMinted) return 'mint'
  return run.stderr.includes('serving the last token') ? 'kept' : 'cache'
}

function nameTurn(event: ClientEvent): FleetEvent[] {
  if (event.type === 'turn-succeeded') return [event.attempts === 1 ? 'turn: sent' : 'turn: rescued']
  if (event.type !== 'turn-failed') return []
  if (event.failure === 'no-credential' || event.failure === 'unauthorized') return [`turn: ${event.failure}`]
  throw new Error(`a turn failed otherwise: ${event.failure}, ${event.message}`)
}
