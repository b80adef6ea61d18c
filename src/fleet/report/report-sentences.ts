import { renderCount } from '../../runtime/text/counted.ts'
import type { CauseSummary, FleetSummary, InputSummary } from '../logs/fleet-summary.ts'
import { renderCounted, renderMoment, renderShare } from './report-words.ts'

/** Renders the main result for an administrator: how much fails, where, and whether it continues. */
export function renderHeadline({ calls, failed, machines }: FleetSummary): string {
  const all = renderCounted(machines.all, 'machine')
  if (failed === 0) return `None of ${renderCounted(calls, 'call')} failed, on ${all}`
  const still =
    machines.stillFailing === 0
      ? 'all of them recovered'
      : `${renderCount(machines.stillFailing)} still failing when the logs end`
  return `${renderCount(failed)} of ${renderCounted(calls, 'call')} failed (${renderShare(failed, calls)}), on ${renderCount(machines.failed)} of ${all}; ${still}`
}

/** Renders how many calls are outside the report's period; empty if none are. */
export function renderFarAway({ farAway }: FleetSummary['moments']): string {
  return farAway === 0 ? '' : `${renderCounted(farAway, 'call')} far from this time, perhaps because a clock is wrong`
}

/** Renders whether a cause is on a few machines or on all of them. */
export function renderCauseWhere({ machines, halfOn, calls }: CauseSummary): string {
  if (machines === 1) return 'on one machine'
  if (calls === machines) return 'once on each'
  return `half of them on ${renderCount(halfOn)}`
}

/** Renders when a cause occurred: at one time, like a fault of a server, or all the time, like faults of machines. */
export function renderPeak({ cause, calls }: CauseSummary, { moments: { columns, stepMs } }: FleetSummary): string {
  const counts = columns.map(({ at, failed }) => ({ at, count: failed[cause] ?? 0 }))
  const peak = counts.reduce((most, each) => (each.count > most.count ? each : most), { at: 0, count: 0 })
  if (peak.count === 0) return 'far from this time'
  const isNotable = peak.count === calls || (calls >= fewest && peak.count >= calls * notable)
  if (!isNotable) return 'spread out'
  const share = peak.count === calls ? '' : `${renderShare(peak.count, calls)} `
  return `${share}from ${renderMoment(peak.at)} to ${renderEnd(peak.at, stepMs)}`
}

/** A step of time is named if it has all failures, or this share of them if there are enough. */
const notable = 0.2
const fewest = 10

/** Renders the helper and the context of most of the failures. */
export function renderMostly({ calls, helpers, contexts }: CauseSummary): string {
  const words = [...helpers.slice(0, 1), ...contexts.slice(0, 1)].filter((word) => word.calls * 2 >= calls)
  return words.map((word) => `${word.name} ${renderShare(word.calls, calls)}`).join(', ')
}

/** Renders the end of a step: without the day, if the day is the same. */
export function renderEnd(at: number, stepMs: number): string {
  const end = renderMoment(at + stepMs)
  return end.slice(0, 10) === renderMoment(at).slice(0, 10) ? end.slice(11) : end
}

export function renderInput(input: InputSummary): string {
  const { files, calls, repeated, repeats, leftOut, unnamed, lost, other, unreadable } = input
  const parts = [
    `${renderCounted(calls, 'call')} in ${renderCounted(files, 'file')}`,
    repeated > 0 && `${renderCount(repeated)} of them twice, but counted once`,
    repeats === 'not all found' && 'later repeated ones are counted twice',
    leftOut > 0 && `${renderCount(leftOut)} left out by the options`,
    unnamed > 0 && `${renderCount(unnamed)} of further machines, counted only in the sums`,
    lost > 0 && `${renderCount(lost)} more that their machines lost before they were logged`,
    other > 0 && `${renderCounted(other, 'record')} of other programs`,
    unreadable > 0 && `${renderCounted(unreadable, 'record')} that cannot be read`,
  ]
  return `Read: ${parts.filter(Boolean).join('; ')}.\n`
}
