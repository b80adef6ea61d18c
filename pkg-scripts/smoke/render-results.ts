import type { SmokeResult } from './run-steps.ts'

/** Renders one line of a terminal; a problem may continue below it. */
export function renderLine({ name, outcome, words, ms }: SmokeResult): string {
  return `${marks[outcome].padEnd(6)}  ${name.padEnd(10)}  ${renderSeconds(ms).padStart(7)}  ${words}`
}

const marks = { passed: 'ok', skipped: '-', failed: 'FAILED' } as const

/** Renders a Markdown table for the page of a workflow's run. */
export function renderSummary(title: string, results: readonly SmokeResult[]): string {
  const rows = results.map(
    ({ name, outcome, words, ms }) => `| ${name} | ${outcome} | ${renderSeconds(ms)} | ${escapeCell(words)} |`,
  )
  return [`### ${title}`, '', '| step | outcome | time | seen |', '|---|---|---|---|', ...rows, ''].join('\n')
}

function renderSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function escapeCell(words: string): string {
  return words
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replaceAll(/\s*\n\s*/g, '<br>')
}
