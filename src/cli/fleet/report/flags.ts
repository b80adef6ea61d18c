import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../../client/duration.ts'

/** What may be said on the command line of `gatepass fleet report`. */
export interface ReportFlags {
  readonly since?: number
  readonly until?: number
  readonly helper?: string
  readonly html?: string
  readonly json?: true
}

/** A moment, or how long ago it was: `2026-03-02`, `2026-03-02T09:00Z`, `12h`. A moment without a time zone is in UTC, as the report is. */
export function parseMoment(text: string, now: number): number {
  const agoSec = parseDuration(text)
  if (agoSec !== undefined) return now - agoSec * 1000
  const match = /^\d{4}-\d\d-\d\d(?:[T ](?<time>\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(?<zone>Z|[+-]\d\d:\d\d)?)?$/.exec(
    text,
  )
  const { time, zone } = match?.groups ?? {}
  const day = text.slice(0, 10)
  const at = match && isDay(day) ? Date.parse(`${day}T${time ?? '00:00'}${zone ?? 'Z'}`) : Number.NaN
  if (!Number.isNaN(at)) return at
  throw new InvalidArgumentError(
    'expected a moment, such as 2026-03-02 or 2026-03-02T09:00Z, or how long ago, such as 12h.',
  )
}

/** The runtime takes 30 February for 2 March. */
function isDay(text: string): boolean {
  return new Date(Date.parse(`${text}T00:00Z`)).getUTCDate() === Number(text.slice(8))
}
