// Renders the words and numbers that several sections of a report share; `report-sentences.ts` has whole sentences.

import { type FailureKind, renderHint, renderNotice, renderWarning } from '../../runtime/failure.ts'
import { renderCount, renderCounted as renderWithNoun } from '../../runtime/text/counted.ts'
import { renderMs } from '../../runtime/values/duration.ts'
import { programName } from '../../version.ts'
import type { DurationFacts, InputTrouble } from '../logs/fleet-summary.ts'
import type { CallOrigin } from '../logs/fleet-totals.ts'
import type { LateStage } from '../logs/machine-totals.ts'
import { unknownKind } from '../logs/read-logs.ts'

/** Renders the unreadable inputs, file by file, and then the hints, as lines for stderr. They repeat no content of a file. */
export function renderTroubles(troubles: readonly InputTrouble[]): string {
  const more = troubles.length - maxNamed
  const lines = troubles.slice(0, maxNamed).map(renderTrouble)
  if (more > 0) lines.push(renderWarning(programName, `and ${renderCounted(more, 'more file')}; --json names all`))
  const hints = new Set(troubles.flatMap(({ reason }) => (reason === undefined ? [] : [chooseHint(reason)])))
  return [...lines, ...[...hints].map((hint) => renderHint(programName, hint))].join('')
}

/** How many files are named; `--json` names all. */
const maxNamed = 20

function renderTrouble({ path, records, line, reason }: InputTrouble): string {
  const unread =
    line === undefined
      ? ''
      : `${renderCounted(records, 'record')} cannot be read, the first in line ${renderCount(line)}`
  if (reason === undefined) return renderWarning(programName, `${path}: ${unread}`)
  return renderNotice(programName, `${path} ${describeReason(reason)}${unread && `; ${unread}`}`)
}

/** Describes why a file could not be read; the system's message for a truncated or damaged file would not help. */
export function describeReason(reason: string): string {
  if (reason === 'Z_BUF_ERROR') return 'is cut off: gzip cannot unpack its end'
  if (reason.startsWith('Z_')) return 'is damaged: gzip cannot unpack it'
  return /^E[A-Z]+$/.test(reason) ? `cannot be read (${reason})` : `cannot be read: ${reason}`
}

/** Chooses one hint for all files with the same reason. */
function chooseHint(reason: string): string {
  if (reason === unknownKind) return `see which logs can be read: ${programName} fleet report --help`
  if (reason === 'ENOENT' || reason === 'ENOTDIR') return 'name files and directories that exist'
  if (reason === 'EACCES' || reason === 'EPERM') return 'run this as a user who may read all of them'
  return 'collect again the files that are damaged or cannot be read'
}

/** The titles of the causes, for an administrator of machines. */
export const causeTitles: Readonly<Record<FailureKind, string>> = {
  usage: 'the command line or a variable is wrong',
  'not-configured': 'something is missing or malformed on the machine',
  'sign-in-required': 'a person has to sign in',
  refused: 'a server refused',
  unavailable: 'a server was not reached, or failed',
  late: 'no token in time',
  bug: 'a defect of the helper',
  unwritable: 'standard output could not be written',
}

/** The titles of the origins of tokens. */
export const originTitles: Readonly<Record<CallOrigin, string>> = {
  cache: 'from the cache',
  mint: 'minted',
  kept: 'kept token, source not reached',
  other: 'without a token',
  failed: 'failed',
}

/** The titles of the stages in which a call waited. */
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

/** Renders a number with its noun: `1 call`, `2 calls`. */
export function renderCounted(count: number, noun: string): string {
  return renderWithNoun(count, noun, renderCount(count))
}

/** Renders a share in percent. Only nothing is shown as 0 %, and only the whole as 100 %. */
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

/** Renders the cells of a table with durations. */
export function renderPercentiles({ p50, p95, p99 }: Pick<DurationFacts, 'p50' | 'p95' | 'p99'>): string[] {
  return [p50, p95, p99].map(renderKnownMs)
}

/** Renders milliseconds for a person; a dash if the duration is unknown. */
export function renderKnownMs(ms: number | undefined): string {
  return ms === undefined ? '–' : renderMs(ms)
}

/** Renders a moment to the minute, in UTC: `2026-03-02 09:05`. */
export function renderMoment(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** Renders a period; the day is shown once if both ends are on the same day. */
export function renderPeriod(from: number, to: number): string {
  const [begin, end] = [renderMoment(from), renderMoment(to)]
  return `${begin} to ${begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end} UTC`
}

/** Renders the square of a colour in the drawings, by its class there; HTML. */
export function renderSwatch(className: string): string {
  return `<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect class="${className}" width="10" height="10" rx="2"/></svg>`
}
