import { type CallCount, renderCallCount } from '../call-count.ts'
import type { CallOutcome } from '../call-outcome.ts'
import type { OutcomeBatch } from '../destination.ts'
import { renderOutcome } from '../outcome-line.ts'
import type { EventKind, LogEvent } from './log-event.ts'

/**
 * A batch as events: one for each call that failed or asked its source, in their order, and then counts of the others. A desktop
 * makes dozens of calls a day of which few are anything that operations would look at.
 * @param now The time of what has none.
 */
export function toLogEvents({ outcomes, lost }: OutcomeBatch, now: number): LogEvent[] {
  const told = outcomes.map((outcome) => ({ kind: toEventKind(outcome), outcome }))
  const single = told
    .filter(({ kind }) => kind !== 'cached')
    .map(({ kind, outcome }) => ({ kind, text: renderOutcome(outcome), outcome }))
  const cached = told.filter(({ kind }) => kind === 'cached').map(({ outcome }) => outcome)
  const counts = countCached(cached).map((count) => ({ kind: 'cached' as const, text: renderCallCount(count) }))
  const missing = lost > 0 ? [{ kind: 'lost' as const, text: renderCallCount({ time: now, lost }) }] : []
  return [...single, ...counts, ...missing]
}

/** What an event of this call would say; `cached` calls have none of their own, and are counted. */
export function toEventKind({ outcome, origin }: CallOutcome): EventKind {
  if (outcome !== 'success') return outcome
  return origin === 'mint' || origin === 'kept' ? origin : 'cached'
}

/** One count for each helper and version. */
function countCached(outcomes: readonly CallOutcome[]): CallCount[] {
  const groups = Map.groupBy(outcomes, ({ helper, version }) => `${helper} ${version}`)
  return [...groups.values()].map((group) => {
    const { helper, version } = group[0]! // a group holds what made it
    return { time: Math.max(...group.map(({ time }) => time)), helper, version, cached: group.length }
  })
}
