import type { TokenOrigin } from '../../outcomes/call-outcome.ts'
import type { FailureKind } from '../../runtime/failure.ts'
import { addDuration, createDurations, type Durations } from './duration-counts.ts'
import {
  addToMachine,
  addToTally,
  createMachineTotals,
  findLateStage,
  type LateStage,
  type MachineTotals,
  otherWords,
  type Tally,
} from './machine-totals.ts'
import type { LoggedCall } from './parse-log-line.ts'
import { addToSeries, createTimeSeries, type TimeSeries } from './time-series.ts'

/** The origin of a call's token: a call with `other` needed no token, such as Git's `store`, and a `failed` call printed none. */
export type CallOrigin = TokenOrigin | 'other' | 'failed'

/** The totals of any number of calls, for the report. Their size depends on the machines and the time, not on the calls. */
export interface FleetTotals {
  calls: number
  firstAt: number
  lastAt: number
  /** The known durations of calls. */
  readonly origins: Map<CallOrigin, Durations>
  /** The number of calls without a duration: the system's log only counts calls from the cache. */
  readonly untimed: Map<CallOrigin, number>
  readonly causes: Map<FailureKind, { calls: number; readonly helpers: Tally; readonly contexts: Tally }>
  readonly late: Map<LateStage, Durations>
  /** The durations of sources by kind. */
  readonly sources: Map<string, Durations>
  readonly machines: Map<string, MachineTotals>
  readonly maxMachines: number
  /** The number of calls of machines beyond {@link maxMachines}. */
  unnamed: number
  readonly series: TimeSeries
}

/** How many machines a report of logs distinguishes; so many take about 150 MB. */
export const maxMachines = 500_000

/** Creates totals without calls, which distinguish so many machines. */
export function createFleetTotals(most: number): FleetTotals {
  return {
    maxMachines: most,
    calls: 0,
    firstAt: Number.POSITIVE_INFINITY,
    lastAt: 0,
    unnamed: 0,
    origins: new Map(),
    untimed: new Map(),
    causes: new Map(),
    late: new Map(),
    sources: new Map(),
    machines: new Map(),
    series: createTimeSeries(),
  }
}

/** Adds a call of a machine, or the calls that the record counts. */
export function addCall(totals: FleetTotals, machineName: string, call: LoggedCall): void {
  const { time, ms, outcome, count } = call
  totals.calls += count
  totals.firstAt = Math.min(totals.firstAt, time)
  totals.lastAt = Math.max(totals.lastAt, time)
  addToOrigin(totals, call)
  addToSeries(totals.series, call)
  if (call.mintMs !== undefined) addDuration(ensureDurations(totals.sources, toSourceName(totals, call)), call.mintMs)
  if (outcome !== 'success') addCause(totals, outcome, call)
  const stage = findLateStage(call)
  if (stage !== undefined && ms !== undefined) addDuration(ensureDurations(totals.late, stage), ms)
  const machine = ensureMachine(totals, machineName)
  if (machine) addToMachine(machine, call)
  else totals.unnamed += count
}

function addToOrigin({ origins, untimed }: FleetTotals, call: LoggedCall): void {
  const origin = detectOrigin(call)
  if (call.ms !== undefined) addDuration(ensureDurations(origins, origin), call.ms)
  else untimed.set(origin, (untimed.get(origin) ?? 0) + call.count)
}

function detectOrigin({ outcome, origin }: LoggedCall): CallOrigin {
  return outcome === 'success' ? (origin ?? 'other') : 'failed'
}

function toSourceName({ sources }: FleetTotals, { source = 'unknown' }: LoggedCall): string {
  return sources.has(source) || sources.size < maxSources ? source : otherWords
}

const maxSources = 100

function ensureDurations<Key>(all: Map<Key, Durations>, key: Key): Durations {
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

function ensureMachine({ machines, maxMachines: most }: FleetTotals, name: string): MachineTotals | undefined {
  const known = machines.get(name)
  if (known || machines.size >= most) return known
  const machine = createMachineTotals()
  machines.set(name, machine)
  return machine
}
