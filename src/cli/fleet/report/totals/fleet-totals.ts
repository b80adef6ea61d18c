import type { FailureKind } from '../../../../runtime/failure.ts'
import type { TokenOrigin } from '../../../../runtime/outcome/call-outcome.ts'
import type { LoggedCall } from '../read/logged-call.ts'
import { addDuration, createDurations, type Durations } from './durations.ts'
import { findLateStage, type LateStage } from './late-stage.ts'
import { addToMachine, createMachineTotals, type MachineTotals } from './machine-totals.ts'
import { addToTally, otherWords, type Tally } from './tally.ts'
import { addToSeries, createTimeSeries, type TimeSeries } from './time-series.ts'

/** What is known of one cause of failures. */
export interface CauseTotals {
  calls: number
  readonly helpers: Tally
  readonly contexts: Tally
}

/** Where the token of a call came from: `other` gave none and needed none, such as `store` of Git, and `failed` gave none. */
export type CallOrigin = TokenOrigin | 'other' | 'failed'

/** Everything that a report needs of any number of calls. It grows with the machines and the time, not with the calls. */
export interface FleetTotals {
  calls: number
  firstAt: number
  lastAt: number
  /** Of calls whose duration is known. */
  readonly origins: Map<CallOrigin, Durations>
  /** The others: a system's log counts what was served from the cache. */
  readonly untimed: Map<CallOrigin, number>
  readonly causes: Map<FailureKind, CauseTotals>
  readonly late: Map<LateStage, Durations>
  /** What sources took, by their kind. */
  readonly sources: Map<string, Durations>
  readonly machines: Map<string, MachineTotals>
  readonly mostMachines: number
  /** Calls of machines for which there was no room. */
  unnamed: number
  readonly series: TimeSeries
}

/** As many machines are told apart; they take some 150 MB then. */
const mostMachines = 500_000

/** No calls yet. */
export function createFleetTotals(most = mostMachines): FleetTotals {
  return {
    mostMachines: most,
    ...{ calls: 0, firstAt: Number.POSITIVE_INFINITY, lastAt: 0, unnamed: 0 },
    ...{
      origins: new Map(),
      untimed: new Map(),
      causes: new Map(),
      late: new Map(),
      sources: new Map(),
      machines: new Map(),
    },
    series: createTimeSeries(),
  }
}

/** Counts a call of a machine, or those that it stands for. */
export function addCall(totals: FleetTotals, machineName: string, call: LoggedCall): void {
  const { time, ms, outcome, count } = call
  totals.calls += count
  totals.firstAt = Math.min(totals.firstAt, time)
  totals.lastAt = Math.max(totals.lastAt, time)
  addToOrigin(totals, call)
  addToSeries(totals.series, call)
  if (call.mintMs !== undefined) addDuration(findDurations(totals.sources, toSourceName(totals, call)), call.mintMs)
  if (outcome !== 'success') addCause(totals, outcome, call)
  const stage = findLateStage(call)
  if (stage !== undefined && ms !== undefined) addDuration(findDurations(totals.late, stage), ms)
  const machine = findMachine(totals, machineName)
  if (machine) addToMachine(machine, call)
  else totals.unnamed += count
}

function addToOrigin({ origins, untimed }: FleetTotals, call: LoggedCall): void {
  const origin = detectOrigin(call)
  if (call.ms !== undefined) addDuration(findDurations(origins, origin), call.ms)
  else untimed.set(origin, (untimed.get(origin) ?? 0) + call.count)
}

function detectOrigin({ outcome, origin }: LoggedCall): CallOrigin {
  return outcome === 'success' ? (origin ?? 'other') : 'failed'
}

function toSourceName({ sources }: FleetTotals, { source = 'unknown' }: LoggedCall): string {
  return sources.has(source) || sources.size < mostSources ? source : otherWords
}

const mostSources = 100

function findDurations<Key>(all: Map<Key, Durations>, key: Key): Durations {
  const found = all.get(key) ?? createDurations()
  all.set(key, found)
  return found
}

function addCause({ causes }: FleetTotals, kind: FailureKind, { helper, context }: LoggedCall): void {
  const cause = causes.get(kind) ?? { calls: 0, helpers: new Map(), contexts: new Map() }
  causes.set(kind, cause)
  cause.calls += 1
  addToTally(cause.helpers, helper)
  addToTally(cause.contexts, context)
}

function findMachine({ machines, mostMachines: most }: FleetTotals, name: string): MachineTotals | undefined {
  const known = machines.get(name)
  if (known || machines.size >= most) return known
  const machine = createMachineTotals()
  machines.set(name, machine)
  return machine
}
