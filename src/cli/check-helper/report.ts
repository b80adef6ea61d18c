import type { CheckReport } from '../../client/check/check-helper.ts'
import type { CheckProgress } from '../../client/check/progress.ts'
import { type Verdict, verdicts } from '../../client/check/rules/rule.ts'
import type { RuleVerdict } from '../../client/check/rules/validate-rules.ts'
import { clients } from '../../contract/clients/clients.ts'
import { toOneLine } from '../../runtime/failure.ts'
import type { Style, Terminal } from '../terminal.ts'

type Paint = Terminal['paint']

/**
 * A verdict per line, the failures last, and under what is wrong what to do and where to read more. Rules that could not be
 * checked for the same reason share a line.
 */
export function renderReport(report: CheckReport, paint: Paint): string {
  const having = (wanted: Verdict) => report.verdicts.filter(({ verdict }) => verdict === wanted)
  const shown = [...having('pass'), ...joinEqual(having('not-applicable')), ...having('warn'), ...having('fail')]
  const width = Math.max(...shown.map(({ rule }) => rule.length))
  const lines = shown.map((row) => renderRow(row, width, paint))
  const title = paint('strong', toOneLine([report.command, ...report.args].join(' ')))
  const set = paint('quiet', `set for its runs: ${report.sets.join(', ')}`)
  const whose = report.client === 'desktop' ? '' : `by the rules of ${clients[report.client].title}\n`
  return `${title}\n${whose}${set}\n\n${lines.join('')}\n${renderCount(report)}\n`
}

type Row = Pick<RuleVerdict, 'verdict' | 'proves' | 'seen' | 'page'> & { readonly rule: string; readonly hint?: string }

/** Rows with the same words become one, which counts them; `--json` names them all. */
function joinEqual(rows: readonly RuleVerdict[]): Row[] {
  const groups = Map.groupBy(rows, ({ seen }) => seen)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first && group.length > 1 ? [{ ...first, rule: `${group.length} rules` }] : group
  })
}

const marks: Readonly<Record<Verdict, { readonly text: string; readonly style: Style }>> = {
  pass: { text: 'pass', style: 'strong' },
  warn: { text: 'WARN', style: 'caution' },
  fail: { text: 'FAIL', style: 'bad' },
  'not-applicable': { text: 'n/a ', style: 'quiet' },
}

function renderRow({ rule, verdict, proves, seen, hint, page }: Row, width: number, paint: Paint): string {
  const { text, style } = marks[verdict]
  const words = `${rule.padEnd(width)}  ${toOneLine(seen)}`
  if (hint === undefined) return `${paint(style, text)}  ${words}\n`
  const indent = ' '.repeat(6)
  const line = paint(style, `${text}  ${words}`)
  return `${line}\n${indent}${paint('quiet', `expected: ${proves}`)}\n${indent}→ ${toOneLine(hint)}\n${indent}${paint('quiet', `see ${page}`)}\n`
}

function renderCount({ verdicts: all, runs, durationMs, result, limitSec }: CheckReport): string {
  const words = { pass: 'passed', warn: 'warned', fail: 'failed', 'not-applicable': 'not applicable' } as const
  const counts = verdicts.map((verdict) => ({ verdict, count: all.filter((row) => row.verdict === verdict).length }))
  const shown = counts.filter(({ count }) => count > 0).map(({ verdict, count }) => `${count} ${words[verdict]}`)
  const rules = `${all.length} rule${all.length === 1 ? '' : 's'}: ${shown.join(', ')}.`
  const made = `${runs} run${runs === 1 ? '' : 's'} in ${Math.round(durationMs / 1000)} s.`
  const end = result === 'unfinished' ? ` Not finished: the limit is ${limitSec} s.` : ''
  return `${rules} ${made}${end}`
}

/** The report as `--json` prints it. */
export function toRecord(report: CheckReport): CheckReport & { readonly status: 0 | 1 } {
  return { status: report.result === 'passed' ? 0 : 1, ...report }
}

/** How far a check is, and which run it waits for. */
export function renderProgress({ done, steps, waitingFor }: CheckProgress): string {
  const count = `${done} of ${steps} done`
  const [first] = waitingFor
  if (!first) return count
  const runs = waitingFor.length === 1 ? 'a run' : `${waitingFor.length} runs, one`
  return `${count}; ${first.forSec} of at most ${first.atMostSec} s: ${runs} ${first.title}`
}
