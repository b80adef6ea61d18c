import type { CallOutcome } from '../call-outcome.ts'
import type { PointMember } from './metric-table.ts'
import type { Attribute } from './metrics-request.ts'
import { toPointAttributes } from './point-attributes.ts'

/** Outcomes that one point is about. */
export interface OutcomeGroup {
  readonly attributes: readonly Attribute[]
  readonly outcomes: readonly CallOutcome[]
}

/** Outcomes that have the same attributes, together; groups are in the order of their first one. */
export function joinAlike(outcomes: readonly CallOutcome[], by: readonly PointMember[]): OutcomeGroup[] {
  const groups = new Map<string, { attributes: Attribute[]; outcomes: CallOutcome[] }>()
  for (const outcome of outcomes) {
    const attributes = toPointAttributes(outcome, by)
    const key = JSON.stringify(attributes)
    const group = groups.get(key) ?? { attributes, outcomes: [] }
    group.outcomes.push(outcome)
    groups.set(key, group)
  }
  return [...groups.values()]
}
