import { chooseVerdict, type TurnVerdict } from '../../client/doctor/choose-verdict.ts'
import { hasPassed, type Part, type PartOutcome } from '../../client/examination.ts'
import { wrapWords } from '../../helper/run/help.ts'
import { toIndentedLine, toOneLine } from '../../runtime/failure.ts'
import type { Style, Terminal } from '../terminal.ts'

/**
 * Renders an examination for a person: the verdict, the parts, and again whether a turn succeeds. Lines have the width of the terminal, if
 * there is one.
 */
export function renderExamination(
  parts: readonly Part[],
  { paint, width }: { readonly paint: Terminal['paint']; readonly width?: number | undefined },
): string {
  const toShown = (line: string) => wrapLine(line, width)
  const blocks = parts.map(
    ({ part, outcome, lines, hint }) =>
      `${renderMark(outcome, paint)}  ${paint('strong', titles[part])}\n${lines.map((line) => renderPaintedMark(toShown(`    ${toIndentedLine(line)}`), paint)).join('')}${hint ? toShown(`    → ${toOneLine(hint)}`) : ''}`,
  )
  const verdict = chooseVerdict(parts)
  const first = toShown(
    `${sentences[verdict.turn]}${hasPassed(parts) || verdict.turn !== 'succeeds' ? ':' : ', but'} ${toOneLine(verdict.cause)}`,
  )
  const hint = verdict.hint === undefined ? '' : toShown(`    → ${toOneLine(verdict.hint)}`)
  return `${renderVerdict(first, verdict, paint)}${hint}\n${blocks.join('\n')}\n${sentences[verdict.turn]}.\n`
}

const sentences: Readonly<Record<TurnVerdict['turn'], string>> = {
  succeeds: 'A turn succeeds',
  fails: 'A turn fails',
  'not sent': 'No turn was sent',
}

/** Splits a line that contains a long address, or that is wider than the terminal. */
function wrapLine(line: string, width: number | undefined): string {
  const indentation = ' '.repeat(6)
  const address = longAddress.exec(line)
  if (address) {
    const [url] = address[0].split(/[,;.:)\]]+$/)
    const before = line.slice(0, address.index).trimEnd()
    const after = line.slice(address.index + (url ?? '').length).replace(/^[,;.:]?\s*/, '')
    const rest = after === '' ? '' : wrapLine(`${indentation}${after}`, width)
    return `${wrapText(before, width)}\n${indentation}${url}\n${rest}`
  }
  return `${wrapText(line, width)}\n`
}

function wrapText(line: string, width: number | undefined): string {
  if (width === undefined) return line
  // Further lines are indented to the text, not to the arrow or the mark.
  const [, lead = '', words = ''] = /^( *(?:[→✗!?✓] )?)(.*)$/su.exec(line) ?? []
  const pieces = wrapWords(words, Math.max(20, width - lead.length)).split('\n')
  return `${lead}${pieces.join(`\n${' '.repeat(lead.length)}`)}`
}

const titles: Readonly<Record<Part['part'], string>> = {
  device: 'The document of the device',
  server: 'The configuration server',
  'server-sign-in': 'The sign-in at the configuration server',
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
  clock: 'The clock of this machine',
}

const marks: Readonly<Record<PartOutcome, string>> = { good: 'good', note: 'note', bad: 'bad ', 'not examined': ' –  ' }

function renderMark(outcome: PartOutcome, paint: Terminal['paint']): string {
  if (outcome === 'good') return marks.good
  return paint(outcome === 'bad' ? 'bad' : outcome === 'note' ? 'caution' : 'quiet', marks[outcome])
}

/** The marks of single conditions, at the beginning of a line. */
const markStyles: Readonly<Record<string, Style>> = { '✗': 'bad', '!': 'caution', '?': 'caution', '✓': 'strong' }

/** Paints the mark of a line with an indentation of four; lines with more are details. */
function renderPaintedMark(line: string, paint: Terminal['paint']): string {
  const style = line[5] === ' ' ? markStyles[line[4]!] : undefined
  return style === undefined ? line : `${line.slice(0, 4)}${paint(style, line[4]!)}${line.slice(5)}`
}

function renderVerdict(text: string, { turn }: TurnVerdict, paint: Terminal['paint']): string {
  const sentence = sentences[turn]
  return `${paint(turn === 'succeeds' ? 'strong' : 'bad', sentence)}${text.slice(sentence.length)}`
}

/** An address of at least this length is on a line of its own, where it can be selected completely. */
const longAddress = /(?:[a-z][a-z0-9+.-]*:\/\/)[^\s"'<>]{60,}/i
