import type { FailureKind } from '../../../../runtime/failure.ts'
import type { LoggedCall } from '../read/logged-call.ts'
import { findLateStage, toStageBit } from './late-stage.ts'
import { otherWords } from './tally.ts'

/** What is known of one machine. Times are in milliseconds since the epoch, 0 for never. */
export interface MachineTotals {
  calls: number
  failed: number
  /** Absent until one fails: most never do. */
  failures?: Map<FailureKind, number>
  /** A list, which is small where there are one or two, as on most machines. */
  readonly helpers: HelperTotals[]
  /** Of its latest call. */
  version: string
  seenAt: number
  /** One bit for each kind of stage for which it was late. */
  lateStages: number
}

/** What is known of one helper on one machine: it may work where another one does not. */
export interface HelperTotals {
  readonly helper: string
  lastSuccessAt: number
  lastFailureAt: number
  lastFailure: FailureKind | undefined
}

/** No calls yet. */
export function createMachineTotals(): MachineTotals {
  return { calls: 0, failed: 0, helpers: [], version: '', seenAt: 0, lateStages: 0 }
}

/** Counts a call of this machine, or those that it stands for. */
export function addToMachine(machine: MachineTotals, call: LoggedCall): void {
  const { time, outcome, version, count } = call
  machine.calls += count
  if (time >= machine.seenAt) {
    machine.seenAt = time
    machine.version = version
  }
  const stage = findLateStage(call)
  if (stage !== undefined) machine.lateStages |= toStageBit(stage)
  addToHelper(findHelper(machine.helpers, call.helper), call)
  if (outcome === 'success') return
  machine.failed += 1
  machine.failures ??= new Map()
  machine.failures.set(outcome, (machine.failures.get(outcome) ?? 0) + 1)
}

/** As many helpers of a machine are told apart: their names come from logs. */
const mostHelpers = 20

function findHelper(helpers: HelperTotals[], name: string): HelperTotals {
  const known = helpers.find(({ helper }) => helper === name)
  if (known) return known
  if (helpers.length >= mostHelpers && name !== otherWords) return findHelper(helpers, otherWords)
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

/** The helpers of a machine of which no call has succeeded since their last failure. */
export function listStillFailing({ helpers }: MachineTotals): HelperTotals[] {
  return helpers.filter(
    ({ lastSuccessAt, lastFailureAt, lastFailure }) => lastFailure !== undefined && lastFailureAt >= lastSuccessAt,
  )
}

/** Whether a helper of a machine is still failing. */
export function isStillFailing(machine: MachineTotals): boolean {
  return listStillFailing(machine).length > 0
}
