import { countLost, countMints, selectPeaks, summarizeSeries } from './fleet-series.ts'
import { choiceNames, type PlayedFleet } from './played-choice.ts'
import { summarizeFleet } from './summarize-fleet.ts'

/** A fleet's day for programs: the numbers of each choice, and series with one number for each minute of the day (UTC). */
export function toFleetRecord({ name, desktops, seed, played }: PlayedFleet) {
  return {
    scenario: name,
    desktops,
    seed,
    choices: played.map((one, index) => ({
      name: choiceNames[index],
      ...summarizeFleet(one),
      perMinute: {
        mints: summarizeSeries(countMints(one.result), 60),
        mostMintsPerSec: selectPeaks(countMints(one.result), 60),
        requests: summarizeSeries(one.result.requests, 60),
        throttled: summarizeSeries(one.result.throttled, 60),
        unreachable: summarizeSeries(one.result.unreachable, 60),
        late: summarizeSeries(one.result.late, 60),
        turns: summarizeSeries(one.result.turns, 60),
        rescued: summarizeSeries(one.result.rescued, 60),
        lost: summarizeSeries(countLost(one.result), 60),
      },
    })),
  }
}
