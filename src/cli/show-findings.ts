import type { Finding, Severity } from '../config/document.ts'
import type { Style, Terminal } from './terminal.ts'

const groups: readonly { severity: Severity; title: string; style: Style }[] = [
  { severity: 'error', title: 'Errors: this will not take effect, or gives no credential', style: 'bad' },
  { severity: 'warning', title: 'Warnings: this works and will hurt', style: 'caution' },
  { severity: 'info', title: 'Good to know', style: 'quiet' },
]

/** Findings for a person, grouped by severity; each with its path, its stable code, what is wrong and what to do. */
export function renderFindings(findings: readonly Finding[], paint: Terminal['paint']): string {
  return groups
    .map(({ severity, title, style }) => ({ title, style, rows: findings.filter((row) => row.severity === severity) }))
    .filter(({ rows }) => rows.length > 0)
    .map(
      ({ title, style, rows }) => `${paint(style, title)}\n${rows.map((row) => renderFinding(row, paint)).join('')}\n`,
    )
    .join('')
}

function renderFinding({ path, code, message, hint }: Finding, paint: Terminal['paint']): string {
  const place = path === '' ? 'the file' : path
  const way = hint === '' ? '' : `    → ${hint}\n`
  return `  ${paint('strong', place)}  ${paint('quiet', code)}\n    ${message}\n${way}`
}

/** The exit status that findings ask for: 1 with an error among them, otherwise 0. */
export function statusOf(findings: readonly Finding[]): 0 | 1 {
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0
}

/** The exit status of a document that cannot be read at all. */
export const unreadableStatus = 2

/** Counts in words, such as "1 error, 2 warnings"; "nothing to report" without any. */
export function countFindings(findings: readonly Finding[]): string {
  const count = (severity: Severity) => findings.filter((row) => row.severity === severity).length
  const words = [plural(count('error'), 'error'), plural(count('warning'), 'warning'), plural(count('info'), 'note')]
  return words.filter((word) => !word.startsWith('0 ')).join(', ') || 'nothing to report'
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`
}
