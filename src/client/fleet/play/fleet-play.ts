import { computeCallSec } from '../../../contract/timing/call-time.ts'
import { computeEarlyFraction } from '../../../contract/timing/freshness.ts'
import { type CredentialTiming, toCredentialTiming } from '../../credentials/credential-timing.ts'
import { defaultLookAheadSec } from '../../session/client.ts'
import { Desktop } from '../desktop/desktop.ts'
import type { FleetContext } from '../desktop/fleet-context.ts'
import type { ObserveFleet } from '../fleet-event.ts'
import { daySec } from '../fleet-result.ts'
import type { FleetChoice, FleetSettings } from '../fleet-settings.ts'
import { FleetCounts } from './fleet-counts.ts'
import { SimulatedProvider } from './simulated-provider.ts'

/** What a simulation consists of while it runs. */
export interface FleetPlay {
  readonly choice: FleetChoice
  readonly timing: CredentialTiming
  /** How long a run of the helper may take in a context. */
  readonly callMs: Readonly<Record<FleetContext, number>>
  readonly tokenLifeMs: number
  readonly retryAfterMs: number | undefined
  /** When the simulation ends, in milliseconds. */
  readonly endsAt: number
  readonly provider: SimulatedProvider
  readonly counts: FleetCounts
  /** The desktop that is played. */
  readonly desktop: Desktop
  readonly observe: ObserveFleet
  /** By which part of the longest time the token is renewed early that a desktop has just received. */
  readonly findFraction: (desktop: number) => number
}

export function createFleetPlay(
  settings: FleetSettings,
  choice: FleetChoice,
  {
    observe,
    findFraction,
  }: Pick<FleetPlay, 'observe'> & { readonly findFraction: FleetPlay['findFraction'] | undefined },
): FleetPlay {
  const desktop = new Desktop(settings)
  const countedFrom = settings.warmUpDays * daySec * 1000
  const endsAt = countedFrom + daySec * 1000
  const { retryAfterSec } = settings.provider
  return {
    ...{ choice, observe, endsAt, desktop },
    findFraction: findFraction ?? (() => computeEarlyFraction(desktop.kept.fractionOfMachine, desktop.random.next())),
    timing: toCredentialTiming(choice, defaultLookAheadSec),
    callMs: {
      interactive: computeCallSec('interactive', choice.timeoutSec) * 1000,
      'scheduled-task': computeCallSec('scheduled-task', choice.timeoutSec) * 1000,
      'mid-session-refresh': computeCallSec('mid-session-refresh', choice.timeoutSec) * 1000,
    },
    tokenLifeMs: settings.tokenLifeSec * 1000,
    retryAfterMs: retryAfterSec === undefined ? undefined : retryAfterSec * 1000,
    provider: new SimulatedProvider(settings, endsAt / 1000, countedFrom),
    counts: new FleetCounts(countedFrom),
  }
}
