import { type StageKind, stageKinds } from '../../runtime/deadline.ts'
import type { FailureKind } from '../../runtime/failure.ts'
import type { LoggedCall } from './parse-log-line.ts'

/** A kind of stage; `unknown` if the log does not state it. */
export type LateStage = StageKind | 'unknown'

/**
 * Finds the stage in which a call waited at its deadline; `undefined` for a call in time. A call that served a kept token was late too,
 * although it did not fail.
 */
export function findLateStage({ outcome, late }: LoggedCall): LateStage | undefined {
  return late ?? (outcome === 'late' ? 'unknown' : undefined)
}

/** Returns the bit of a kind of stage, with one more bit for the unknown kind. */
export function toStageBit(stage: LateStage): number {
  return 1 << ((stageKinds as readonly string[]).indexOf(stage) + 1)
}

/** The totals of one machine. Times are in milliseconds since the epoch, 0 for never. */
export interface MachineTotals {
  calls: number
  failed: number
  /** Absent until a call fails, because most machines have no failure. */
  failures?: Map<FailureKind, number>
  /** A list, because it is small for the one or two helpers of most machines. */
  readonly helpers: HelperTotals[]
  /** The version of its latest call. */
  version: string
  seenAt: number
  /** One bit for each kind of stage in which a call was late. */
  lateStages: number
}

/** The totals of one helper on one machine: one helper may work while another fails. */
export interface HelperTotals {
  readonly helper: string
  lastSuccessAt: number
  lastFailureAt: number
  lastFailure: FailureKind | undefined
}

export function createMachineTotals(): MachineTotals {
  return { calls: 0, failed: 0, helpers: [], version: '', seenAt: 0, lateStages: 0 }
}

/** Adds a call of this machine, or the calls that the record counts. */
export function addToMachine(machine: MachineTotals, call: LoggedCall): void {
  const { time, outcome, version, count } = call
  machine.calls += count
  if (time >= machine.seenAt) {
    machine.seenAt = time
    machine.version = version
  }
  const stage = findLateStage(call)
  if (stage !== undefined) machine.lateStages |= toStageBit(stage)
  addToHelper(ensureHelper(machine.helpers, call.helper), call)
  if (outcome === 'success') return
  machine.failed += 1
  machine.failures ??= new Map()
  machine.failures.set(outcome, (machine.failures.get(outcome) ?? 0) + 1)
}

/** How many helpers of a machine are distinguished. There is a limit because their names come from logs. */
const maxHelpers = 20

function ensureHelper(helpers: HelperTotals[], name: string): HelperTotals {
  const known = helpers.find(({ helper }) => helper === name)
  if (known) return known
  if (helpers.length >= maxHelpers && name !== otherWords) return ensureHelper(helpers, otherWords)
  const added: HelperTotals = { helper: name, lastSuccessAt: 0, lastFailureAt: 0, lastFailure: undefined }
  helpers.push(added)
  return added
}

function addToHelper(helper: HelperTotals, { time, outcome }: LoggedCall): void {
  if (outcome === 'success') helper.lastSuccessAt = Math.max(helper.lastSuccessAt, time)
  else if (time >= helper.lastFailureAt) {
    helper.lastFailureAt = time
    helper.lastFailure = outcome
  }
}

/** Lists the helpers of a machine whose last failure was not followed by a success. */
export function listStillFailing({ helpers }: MachineTotals): HelperTotals[] {
  return helpers.filter(
    ({ lastSuccessAt, lastFailureAt, lastFailure }) => lastFailure !== undefined && lastFailureAt >= lastSuccessAt,
  )
}

/** The number of occurrences of each word. Words come from logs, so their number is limited. */
export type Tally = Map<string, number>

/** How many words are distinguished; a fleet has a dozen helpers, versions or sources. */
const maxWords = 200

/** The word that stands for every further word. */
export const otherWords = 'others'

/** Adds a word once, or as often as it was counted elsewhere. */
export function addToTally(tally: Tally, word: string, count = 1): void {
  const kept = tally.has(word) || tally.size < maxWords ? word : otherWords
  tally.set(kept, (tally.get(kept) ?? 0) + count)
}

/** Sorts the words, most frequent first. */
export function sortTally(tally: Tally): [word: string, count: number][] {
  return [...tally].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
}
