import { apiVersion } from '../../../contract/http-api.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import { vendor } from '../../../vendor.ts'
import { summarizeSeries } from '../report/fleet-series.ts'
import type { PlayedFleet } from '../report/played-choice.ts'
import { renderCount } from '../report/render-count.ts'

/** What a turn sends, unless `LOAD_BODY` says it: as little as a gateway takes. JSON without a single quote. */
export const loadBody = JSON.stringify({
  model: 'any',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'Hello' }],
})

/** The headers of a turn but its token. */
export const loadHeaders = JSON.stringify({ [vendor.versionHeader]: apiVersion })

/** The turns of a fleet's day as a load engine follows them. */
export interface LoadCurve {
  /** What it is of, on one line. */
  readonly title: string
  /** Numbers for each minute of the day from midnight UTC, as the items of a list, an hour on each line. */
  readonly turnsPerMinute: string
}

/** The curve of turns: a gateway sees each of them as one request. It is the same under every choice. */
export function toLoadCurve({ name, desktops, seed, played: [first] }: PlayedFleet): LoadCurve {
  const perMinute = first ? summarizeSeries(first.result.turns, 60) : []
  const hours = Array.from(
    { length: 24 },
    (_, hour) => `  ${perMinute.slice(hour * 60, (hour + 1) * 60).join(', ')},\n`,
  )
  // The name may be that of a file, and ends up in a comment of a script, which U+2028 would end.
  const title = `the turns of ${renderCount(desktops)} desktops in a day, ${JSON.stringify(toOneLine(name))}, seed ${seed}`
  return { title, turnsPerMinute: `[\n${hours.join('')}]` }
}
