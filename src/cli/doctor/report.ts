import type { Outcome, Part } from '../../client/examination.ts'
import { hasPassed } from '../../client/examination.ts'
import { toIndentedLine, toOneLine } from '../../runtime/failure.ts'
import type { Style, Terminal } from '../terminal.ts'

/** An examination for a person, part by part. */
export function renderExamination(parts: readonly Part[], paint: Terminal['paint']): string {
  const blocks = parts.map(
    ({ part, outcome, lines, hint }) =>
      `${mark(outcome, paint)}  ${paint('strong', titles[part])}\n${lines.map((line) => `    ${paintMark(toIndentedLine(line), paint)}\n`).join('')}${hint ? `    → ${toOneLine(hint)}\n` : ''}`,
  )
  return `${blocks.join('\n')}\n${hasPassed(parts) ? 'All is well.' : 'Not all is well.'}\n`
}

const titles: Readonly<Record<Part['part'], string>> = {
  document: 'The document',
  installation: 'What is installed',
  helper: 'The helper',
  run: 'One run of it, as a connection test',
  identity: 'The identity behind it',
  exchange: 'The token exchange, as far as it can be seen from here',
  provider: 'The identity provider',
  'sign-in': 'One sign-in of a person',
  token: 'The token',
  gateway: 'One request to the gateway',
}

const marks: Readonly<Record<Outcome, string>> = { good: 'good', note: 'note', bad: 'bad ', 'not examined': ' –  ' }

function mark(outcome: Outcome, paint: Terminal['paint']): string {
  if (outcome === 'good') return marks.good
  return paint(outcome === 'bad' ? 'bad' : outcome === 'note' ? 'caution' : 'quiet', marks[outcome])
}

/** The marks of single conditions, at the beginning of a line. */
const markStyles: Readonly<Record<string, Style>> = { '✗': 'bad', '!': 'caution', '?': 'caution', '✓': 'strong' }

function paintMark(line: string, paint: Terminal['paint']): string {
  const style = line[1] === ' ' ? markStyles[line[0]!] : undefined
  return style === undefined ? line : `${paint(style, line[0]!)}${line.slice(1)}`
}
