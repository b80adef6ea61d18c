import { renderDuration } from '../../../../client/duration.ts'
import { renderCount } from '../../../../client/fleet/report/render-count.ts'
import type { FailureKind } from '../../../../runtime/failure.ts'
import type { DurationFacts } from '../summary/fleet-summary.ts'
import type { CallOrigin } from '../totals/fleet-totals.ts'
import type { LateStage } from '../totals/late-stage.ts'

/** What each cause means to whoever looks after machines. */
export const causeTitles: Readonly<Record<FailureKind, string>> = {
  usage: 'the command line or a variable is wrong',
  'not-configured': 'something is missing or malformed on the machine',
  'sign-in-required': 'a person has to sign in',
  refused: 'a server refused',
  unavailable: 'a server was not reached, or failed',
  late: 'no token in time',
  bug: 'a defect of the helper',
}

/** Where the token of a call came from. */
export const originTitles: Readonly<Record<CallOrigin, string>> = {
  cache: 'from the cache',
  mint: 'minted',
  kept: 'kept token, source not reached',
  other: 'without a token',
  failed: 'failed',
}

/** What a call waited for. */
export const stageTitles: Readonly<Record<LateStage, string>> = {
  configuration: 'reading the configuration',
  cache: 'the token cache',
  lock: 'another run of the helper',
  keychain: 'the keychain',
  file: 'a file',
  network: 'a server',
  program: 'another program',
  'sign-in': 'the sign-in of a person',
  input: 'standard input',
  output: 'standard output',
  mint: 'the source of the token',
  unknown: 'not said',
}

/** A number with what it counts: `1 call`, `2 calls`. */
export function renderCounted(count: number, noun: string): string {
  return `${renderCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A part of a whole; one that is not nothing does not look like nothing, and one that is not the whole not like it. */
export function renderShare(part: number, whole: number): string {
  const percent = whole === 0 ? 0 : (100 * part) / whole
  if (part === 0) return '0 %'
  if (percent < 0.01) return '<0.01 %'
  if (part < whole && percent > 99.99) return '>99.99 %'
  const isNearEnd = percent < 1 || (part < whole && percent > 99)
  return `${percent.toFixed(isNearEnd ? 2 : 1)} %`
}

/** The headings of {@link renderPercentiles}. */
export const percentileHeads = ['#median', '#p95', '#p99'] as const

/** The cells of a table that say how long something took. */
export function renderPercentiles({ p50, p95, p99 }: Pick<DurationFacts, 'p50' | 'p95' | 'p99'>): string[] {
  return [p50, p95, p99].map(renderMs)
}

/** Milliseconds for a person, of which no more than two digits are known; a dash where nothing is. */
export function renderMs(ms: number | undefined): string {
  if (ms === undefined) return '–'
  if (ms < 1000) return `${ms} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return renderDuration(Math.round(ms / 1000))
}

/** A moment to the minute, in UTC: `2026-03-02 09:05`. */
export function renderMoment(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** From when to when; the day stands once where it is the same. */
export function renderPeriod(from: number, to: number): string {
  const [begin, end] = [renderMoment(from), renderMoment(to)]
  return `${begin} to ${begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end} UTC`
}
