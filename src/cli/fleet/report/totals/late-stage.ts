import { type StageKind, stageKinds } from '../../../../runtime/deadline.ts'
import type { LoggedCall } from '../read/logged-call.ts'

/** A kind of stage, or that the log does not say it. */
export type LateStage = StageKind | 'unknown'

/** What a call waited for when its time was over; `undefined` for one that was in time. One that served a kept token was late too, though it did not fail. */
export function findLateStage({ outcome, late }: LoggedCall): LateStage | undefined {
  return late ?? (outcome === 'late' ? 'unknown' : undefined)
}

/** A bit for each kind of stage, and one more for an unknown kind. */
export function toStageBit(stage: LateStage): number {
  return 1 << ((stageKinds as readonly string[]).indexOf(stage) + 1)
}
