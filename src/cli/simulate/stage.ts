import { randomUUID } from 'node:crypto'
import { type RunHelper, runCredentialHelper } from '../../client/launch/run-credential-helper.ts'
import type { Task } from '../../client/simulation/scenario/plan-scenario.ts'
import type { SimulationEvent } from '../../client/simulation/simulation-event.ts'
import { playScenario } from '../../client/simulation/stage/play-scenario.ts'
import type { SimulatedGateway } from '../../client/simulation/stage/simulated-world.ts'
import { VirtualClock } from '../../client/simulation/stage/virtual-clock.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { startGateway } from '../../gateway/inference/start-gateway.ts'
import { createTokenLedger } from '../../gateway/inference/token-ledger.ts'
import type { Host } from '../../runtime/host.ts'
import { streamFetch } from '../../runtime/network/fetch/stream-fetch.ts'
import { Secret } from '../../runtime/secret.ts'
import type { Cli } from '../cli.ts'
import { readNetwork } from '../network.ts'
import type { SimulateFlags } from './flags.ts'

interface Production {
  readonly tasks: readonly Task[]
  readonly document: ConfigDocument
  readonly flags: SimulateFlags
}

/** Plays the tasks, against somebody's gateway or one that is started for it. */
export async function playOnGateway({ host }: Cli, { tasks, document, flags }: Production): Promise<SimulationEvent[]> {
  const clock = new VirtualClock(startOfDay())
  const { gateway, close } = await (flags.gateway === undefined
    ? openGateway(clock, document)
    : reachGateway(host, flags.gateway))
  try {
    return await playScenario({
      tasks,
      document,
      clock,
      gateway,
      env: host.env,
      platform: host.platform,
      runHelper: runOrPretend,
      ...(flags.lookAhead !== undefined && { lookAheadSec: flags.lookAhead }),
      ...(flags.tokenLife !== undefined && { tokenLifeSec: flags.tokenLife }),
    })
  } finally {
    await close()
  }
}

/** Nine in the morning of today, UTC: the simulated clock shows a working day, whenever it is played. */
export function startOfDay(): number {
  return new Date().setUTCHours(9, 0, 0, 0)
}

/** The document on the simulated day: one that expires in two hours does so two hours after nine. */
export function moveExpiry(document: ConfigDocument): ConfigDocument {
  const { expiresAt } = document
  return expiresAt === undefined ? document : { ...document, expiresAt: startOfDay() + (expiresAt - Date.now()) }
}

interface OpenGateway {
  readonly gateway: SimulatedGateway
  close(): Promise<void>
}

/** Somebody's gateway, by the way that this machine has to it. */
async function reachGateway(host: Host, url: string): Promise<OpenGateway> {
  // The client has a limit of its own, and keeps it.
  const fetch = streamFetch({ network: await readNetwork(host), silenceSec: longestSilenceSec })
  return { gateway: { url, fetch }, close: async () => {} }
}

/** Longer than any client waits for a stream that says nothing. */
const longestSilenceSec = 86_400

async function openGateway(clock: VirtualClock, document: ConfigDocument): Promise<OpenGateway> {
  const ledger = createTokenLedger(clock.now)
  const credential = document.inference?.credential
  if (credential?.kind === 'static' && credential.apiKey !== undefined) ledger.register(credential.apiKey, undefined)
  const own = await startGateway({ verify: ledger.verify, sleep: clock.sleep })
  return { gateway: { url: own.url, controls: { failureMode: own.failureMode, ...ledger } }, close: () => own.close() }
}

const pretendCommand = '/pretended/helper'

/** What is played without a document: a helper that answers at once and that nothing is run for. */
export const pretendDocument: ConfigDocument = {
  inference: {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    credential: { kind: 'helper-script', command: pretendCommand },
  },
}

const pretendLifeSec = 3600

const runOrPretend: RunHelper = async (credential, context, surroundings) => {
  if (credential.command !== pretendCommand) return runCredentialHelper(credential, context, surroundings)
  const claims = Buffer.from(JSON.stringify({ exp: Date.now() / 1000 + pretendLifeSec, jti: randomUUID() }))
  const token = new Secret(`eyJhbGciOiJub25lIn0.${claims.toString('base64url')}.`)
  const output = { credential: { token, headers: {} }, shape: 'bare token', warnings: [] } as const
  return { ok: true, ...output, stderr: '', durationMs: 0, survivors: 'none' }
}
