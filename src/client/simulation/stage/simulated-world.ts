import {
  type HelperRun,
  type RunHelper,
  resolveHelperTimeoutSec,
  runCredentialHelper,
} from '../../launch/run-credential-helper.ts'
import type { ClientWorld } from '../../session/client.ts'
import { parseTokenFacts } from '../../token/token-facts.ts'
import { sendTurn } from '../../turn/send-turn.ts'
import type { SendTurn, Turn } from '../../turn/turn.ts'
import { findMadeAt } from './made-at.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The gateway that a simulated client talks to. */
export interface SimulatedGateway {
  /** Where every turn goes, whatever the document says. */
  readonly url: string
  /** The way there; that of the runtime, unless given. */
  readonly fetch?: Turn['fetch']
  /** What can be done to it; only the built-in one has this. */
  readonly controls?: GatewayControls
}

export interface GatewayControls {
  revokeAll(): void
  readonly mood: { status?: number; silentMs?: number }
  /**
   * Tells it of a token whose life begins now, unless it has been printed before. `ended`: it has, and its life is over.
   */
  admit(token: string, lifeSec: number | undefined, print: 'fresh' | 'maybe again'): 'new' | 'known' | 'ended'
}

/** What is different for a while. */
export interface Conditions {
  network: 'up' | 'down'
  /** How much longer a helper takes than it does. */
  helperDelaySec: number
}

export interface WorldSettings {
  readonly clock: VirtualClock
  readonly gateway: SimulatedGateway
  readonly conditions: Conditions
  /** The life of tokens that do not say it themselves. */
  readonly tokenLifeSec?: number
  /** Real processes, unless given. */
  readonly runHelper?: RunHelper
  /** Told of each token that is printed: `dead` if it is one of before whose simulated life is over. */
  readonly onPrint: (print: 'alive' | 'dead') => void
}

/** The far side of a simulated client: real helpers and a real gateway, in a time that is moved. */
export function simulateWorld(settings: WorldSettings): Partial<ClientWorld> {
  const { clock, gateway } = settings
  return {
    runHelper: simulateRuns(settings),
    sendTurn: simulateSending(settings),
    // Nobody moves the time for a gateway that is not ours, so its streams are watched in real time.
    ...(gateway.controls && { startTimer: clock.startTimer }),
  }
}

/** Our helpers keep nothing between runs here: their own cache lives in real time. */
const ownCacheOff = { GATEPASS_CACHE: 'none' }

/** A proxy at which nobody listens, for helpers that honour one. */
const deadProxy = 'http://127.0.0.1:9'
const networkDown = {
  http_proxy: deadProxy,
  https_proxy: deadProxy,
  HTTP_PROXY: deadProxy,
  HTTPS_PROXY: deadProxy,
  NO_PROXY: '',
  no_proxy: '',
}

function simulateRuns(settings: WorldSettings): RunHelper {
  const { clock, conditions, runHelper = runCredentialHelper } = settings
  return async (credential, context, { env, platform }) => {
    const surroundings = {
      platform,
      env: { ...env, ...ownCacheOff, ...(conditions.network === 'down' && networkDown) },
    }
    const startedAt = Date.now()
    const run = await runHelper(credential, context, surroundings)
    const timeoutSec = resolveHelperTimeoutSec(credential, context)
    const delaySec = Math.min(conditions.helperDelaySec, timeoutSec)
    const delayed = delaySec === 0 ? run : delay(run, delaySec, timeoutSec)
    if (delaySec > 0) await clock.sleep(delaySec * 1000)
    if (delayed.ok) admit(delayed, startedAt, settings)
    return delayed
  }
}

function delay(run: HelperRun, delaySec: number, timeoutSec: number): HelperRun {
  const durationMs = run.durationMs + delaySec * 1000
  if (durationMs < timeoutSec * 1000) return { ...run, durationMs }
  const message = `the helper did not end within ${timeoutSec} s and was killed`
  return { ok: false, reason: 'timeout', message, durationMs: timeoutSec * 1000, stderr: run.stderr, survivors: 'none' }
}

/** Two signatures of one second are alike: what was made in this very run is fresh, although it reads like the last. */
function admit(
  { credential }: HelperRun & { ok: true },
  startedAt: number,
  { gateway, tokenLifeSec, onPrint }: WorldSettings,
): void {
  const token = credential.token.reveal()
  const isFresh = (findMadeAt(token) ?? 0) >= Math.floor(startedAt / 1000) * 1000
  const { end } = parseTokenFacts(token, {})
  // The token was made in real time; what is left of its life begins at the simulated moment.
  const lifeSec = end ? Math.max(0, (end.at - Date.now()) / 1000) : tokenLifeSec
  const admitted = gateway.controls?.admit(token, lifeSec, isFresh ? 'fresh' : 'maybe again')
  // One that is dead in real time too is the helper's own doing.
  onPrint(admitted === 'ended' && lifeSec !== 0 ? 'dead' : 'alive')
}

function simulateSending({ gateway, conditions }: WorldSettings): SendTurn {
  return async (turn) => {
    if (conditions.network === 'down') return { silence: 'unreachable' }
    const { url: baseUrl, fetch } = gateway
    return sendTurn({ ...turn, inference: { ...turn.inference, baseUrl }, ...(fetch && { fetch }) })
  }
}
