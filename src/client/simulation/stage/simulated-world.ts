import { resolveHelperTimeoutSec } from '../../../contract/timing/call-time.ts'
import { parseTokenFacts } from '../../../runtime/tokens/token-facts.ts'
import { type HelperRun, type RunHelper, runCredentialHelper } from '../../launch/run-credential-helper.ts'
import type { ClientWorld } from '../../session/client.ts'
import { sendTurn } from '../../turn/send-turn.ts'
import type { SendTurn } from '../../turn/turn.ts'
import { findIssuedAt } from './issued-at.ts'
import { simulateSignIns } from './simulated-sign-ins.ts'
import type { WorldSettings } from './world-settings.ts'

/** Real helpers and a real gateway for a client on a virtual clock. */
export function simulateWorld(settings: WorldSettings): Partial<ClientWorld> {
  const { clock, gateway } = settings
  return {
    runHelper: simulateRuns(settings),
    openSignIn: simulateSignIns(settings),
    sendTurn: simulateSending(settings),
    // A gateway that is not ours runs in real time, so the idle time of its streams is real too.
    ...(gateway.controls && { startTimer: clock.startTimer }),
  }
}

/** Our helpers run without their cache, because it uses real time. */
const ownCacheOff = { GATEPASS_CACHE: 'none' }

/** A proxy port without a listener, for helpers that use the proxy variables. */
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
    const setup = {
      platform,
      env: { ...env, ...ownCacheOff, ...(conditions.network === 'down' && networkDown) },
    }
    const startedAt = Date.now()
    const run = await runHelper(credential, context, setup)
    const timeoutSec = resolveHelperTimeoutSec(credential, context)
    const delaySec = Math.min(conditions.helperDelaySec, timeoutSec)
    const delayed = delaySec === 0 ? run : delay(run, delaySec, timeoutSec)
    if (delaySec > 0) await clock.sleep(delaySec * 1000)
    if (delayed.ok) registerToken(delayed, startedAt, settings)
    return delayed
  }
}

function delay(run: HelperRun, delaySec: number, timeoutSec: number): HelperRun {
  const durationMs = run.durationMs + delaySec * 1000
  if (durationMs < timeoutSec * 1000) return { ...run, durationMs }
  const message = `the helper did not end within ${timeoutSec} s and was killed`
  return { ok: false, reason: 'timeout', message, durationMs: timeoutSec * 1000, stderr: run.stderr, survivors: 'none' }
}

/**
 * Registers a token with the gateway. Two signatures of the same second are equal, so a token that was issued during this run
 * is new even if it equals the last one.
 */
function registerToken(
  { credential }: HelperRun & { ok: true },
  startedAt: number,
  { gateway, tokenLifeSec, onToken }: WorldSettings,
): void {
  const token = credential.token.reveal()
  const isFresh = (findIssuedAt(token) ?? 0) >= Math.floor(startedAt / 1000) * 1000
  const { end } = parseTokenFacts(token, {})
  // The token was issued in real time; the rest of its life begins at the simulated time.
  const lifeSec = end ? Math.max(0, (end.at - Date.now()) / 1000) : tokenLifeSec
  const admitted = gateway.controls?.register(token, lifeSec, isFresh ? 'fresh' : 'maybe again')
  // A token that has expired in real time too is the helper's mistake.
  onToken(admitted === 'ended' && lifeSec !== 0 ? 'expired' : 'live')
}

function simulateSending({ gateway, conditions }: WorldSettings): SendTurn {
  return async (turn) => {
    if (conditions.network === 'down') return { reason: 'unreachable' }
    const { url: baseUrl, fetch } = gateway
    return sendTurn({ ...turn, inference: { ...turn.inference, baseUrl }, ...(fetch && { fetch }) })
  }
}
