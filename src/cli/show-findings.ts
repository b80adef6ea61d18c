// Renders findings as text, and computes the exit status for them; `config/render-findings.ts` has the formats.

import { sortFindings } from '../config/check/check-document.ts'
import { type Finding, type Severity, severities } from '../config/finding.ts'
import { exitStatus, outcomeStatus, renderHint, toOneLine } from '../runtime/failure.ts'
import { renderCounted } from '../runtime/text/counted.ts'
import { programName } from '../version.ts'
import type { Style, Terminal } from './terminal.ts'

/**
 * Renders findings as an answer, grouped by severity, each with its path, stable code, position, message and hint.
 * @param titles The headings of severities that differ from those for a configuration document.
 */
export function renderFindings(
  findings: readonly Finding<string>[],
  paint: Terminal['paint'],
  titles: Partial<Readonly<Record<Severity, string>>>,
): string {
  return severities
    .map(({ severity, title }) => {
      const rows = findings.filter((row) => row.severity === severity).map((row) => renderFinding(row, paint))
      return rows.length === 0 ? '' : `${paint(styles[severity], titles[severity] ?? title)}\n${rows.join('')}\n`
    })
    .join('')
}

const styles: Readonly<Record<Severity, Style>> = { error: 'bad', warning: 'caution', info: 'quiet' }

function renderFinding(finding: Finding<string>, paint: Terminal['paint']): string {
  const { path, code, message, hint } = finding
  const location = paint('strong', toOneLine(path) || 'the document')
  const hintLine = hint === '' ? '' : `    → ${toOneLine(hint)}\n`
  return `  ${location}  ${paint('quiet', `${code}${renderPosition(finding)}`)}\n    ${toOneLine(message)}\n${hintLine}`
}

/** A finding about the whole document shows no position, because its message contains one. */
function renderPosition({ path, line, column }: Finding<string>): string {
  return path === '' || line === undefined ? '' : `  line ${line}, column ${column ?? 1}`
}

/** Prints findings besides an answer on stderr, worst first, one message a line, without notes. */
export function tellFindings(terminal: Pick<Terminal, 'tell'>, source: string, findings: readonly Finding[]): void {
  const shown = sortFindings(findings).filter(({ severity }) => severity !== 'info')
  terminal.tell(shown.map((row) => renderFindingLines(source, row)).join(''))
}

/** Prints only the errors among findings, for a command that works with the rest of the document. */
export function tellErrors(terminal: Pick<Terminal, 'tell'>, source: string, findings: readonly Finding[]): void {
  const errors = findings.filter(({ severity }) => severity === 'error')
  tellFindings(terminal, source, errors)
}

/** Renders a finding as lines for stderr; `source` names its subject if it has no path. */
export function renderFindingLines(source: string, { severity, path, code, message, hint }: Finding<string>): string {
  const mark = severity === 'warning' ? 'warning: ' : ''
  const hintLine = hint === '' ? '' : renderHint(programName, hint)
  return `${programName}: ${mark}${toOneLine(`${path || source}: ${message}`)} (${code})\n${hintLine}`
}

/** Whether warnings are accepted: with `strict`, the option of a check, they are not. */
export type WarningAcceptance = 'usual' | 'strict'

/** The option of a check that accepts no warnings. */
export const strictOption = ['--strict', `end with ${outcomeStatus.no} on warnings too`] as const

/** Gives the exit status for findings: 1 if one of them is not accepted, otherwise 0. */
export function toStatus(findings: readonly Finding<string>[], acceptance: WarningAcceptance = 'usual'): 0 | 1 {
  const isAccepted = (severity: Severity) => severity === 'info' || (severity === 'warning' && acceptance === 'usual')
  return findings.every(({ severity }) => isAccepted(severity)) ? outcomeStatus.done : outcomeStatus.no
}

/** The exit status of a document that cannot be read at all. */
export const unreadableStatus = exitStatus.usage

/** Counts in words, such as "1 error, 2 warnings"; "nothing to report" without findings. */
export function renderFindingCounts(findings: readonly Finding<string>[]): string {
  const count = (severity: Severity) => findings.filter((row) => row.severity === severity).length
  const words = [
    renderCounted(count('error'), 'error'),
    renderCounted(count('warning'), 'warning'),
    renderCounted(count('info'), 'note'),
  ]
  return words.filter((word) => !word.startsWith('0 ')).join(', ') || 'nothing to report'
}

/** A finding, or a case that failed, of any kind of file. */
export interface CheckedFinding extends Finding<string> {
  /** The name of the case, for formats that list cases. */
  readonly title?: string
}

/** A checked document, for every format. */
export interface CheckedDocument {
  /** The given source: a file, `-` or a URL with hidden secrets. */
  readonly source: string
  /** The exit status of a check of this document alone. */
  readonly status: 0 | 1 | 2
  /** The findings, worst first. */
  readonly findings: readonly CheckedFinding[]
  /** The result in one sentence. */
  readonly conclusion: string
  /** The names of its passed cases; absent for a document without cases. */
  readonly passed?: readonly string[]
}

/** Computes the exit status for several documents: the worst of theirs. */
export function computeStatus(documents: readonly CheckedDocument[]): 0 | 1 | 2 {
  const statuses = new Set(documents.map(({ status }) => status))
  return ([2, 1] as const).find((status) => statuses.has(status)) ?? 0
}
