import { countLost, countMints, joinSeries, type Series, selectPeaks, summarizeSeries } from '../report/fleet-series.ts'
import type { PlayedChoice } from '../report/played-choice.ts'

/** One chart of a day: for each choice a number for each minute. */
export interface FleetPanel {
  readonly title: string
  readonly values: readonly (readonly number[])[]
}

/** The charts of a day; those in which nothing would be seen are left out, but for the first. */
export function toFleetPanels(played: readonly PlayedChoice[]): FleetPanel[] {
  const most = (title: string, select: (one: PlayedChoice) => Series) => ({
    title,
    values: played.map((one) => selectPeaks(select(one), 60)),
  })
  const sums = (title: string, select: (one: PlayedChoice) => Series) => ({
    title,
    values: played.map((one) => summarizeSeries(select(one), 60)),
  })
  const [first, ...others] = [
    most('mints in the busiest second of a minute', ({ result }) => countMints(result)),
    most('requests to the provider in that second', ({ result }) => result.requests),
    sums('requests answered 429, a minute', ({ result }) => result.throttled),
    sums('requests that reached nobody or were answered too late, a minute', ({ result }) =>
      joinSeries(result.unreachable, result.late),
    ),
    sums('turns rescued after a 401, a minute', ({ result }) => result.rescued),
    sums('turns lost, a minute', ({ result }) => countLost(result)),
    sums('turns, a minute', ({ result }) => result.turns),
  ]
  return [first!, ...others.filter(({ values }) => values.some((numbers) => numbers.some((number) => number > 0)))]
}
