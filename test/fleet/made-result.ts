import { type FleetResult, waitStepsMs } from '../../src/fleet/fleet-result.ts'
import type { ComparedChoice } from '../../src/fleet/scenario/choice-keys.ts'

/** Numbers by second of the day. */
type Written = Readonly<Record<number, number>>

/** Makes a day with only the given events: every absent series is zero throughout. */
export function makeResult(
  series: Readonly<
    Partial<
      Record<
        | 'first'
        | 'renewal'
        | 'refusal'
        | 'requests'
        | 'throttled'
        | 'unreachable'
        | 'late'
        | 'turns'
        | 'rescued'
        | 'lost',
        Written
      >
    >
  >,
  { waits = {} }: { readonly waits?: Written } = {},
): FleetResult {
  const make = (written: Written = {}, length = 86_400) => {
    const numbers = new Uint32Array(length)
    for (const [index, number] of Object.entries(written)) numbers[Number(index)] = number
    return numbers
  }
  return {
    mints: { first: make(series.first), renewal: make(series.renewal), refusal: make(series.refusal) },
    requests: make(series.requests),
    throttled: make(series.throttled),
    unreachable: make(series.unreachable),
    late: make(series.late),
    turns: make(series.turns),
    rescued: make(series.rescued),
    lost: { 'no-credential': make(series.lost), unauthorized: make() },
    runs: { cache: 0, mint: 0, kept: 0, failed: 0 },
    waits: make(waits, waitStepsMs.length + 1),
  }
}

export const madeChoice: ComparedChoice = { ttlSec: 3600, timeoutSec: 60, renewEarly: 0, tokenLifeSec: 3600 }
