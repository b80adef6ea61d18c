import { renderDuration } from '../../../client/duration.ts'
import { toOneLine } from '../../../runtime/failure.ts'
import type { Style, Terminal } from '../../terminal.ts'
import type { CheckStatus, TokenCheck, TokenVerdict } from '../checks/token-check.ts'
import type { HeaderDescription } from '../describe/describe-headers.ts'
import { renderLifeLine } from './render-life-line.ts'
import type { Verified } from './verified.ts'

/** Where the report is shown. @property screen The columns of a terminal; absent for a pipe, where nothing is drawn. */
interface Surface {
  readonly paint: Terminal['paint']
  readonly screen: number | undefined
}

/** What a token is and what every check says, for a person. */
export function renderReport(verified: Verified, { paint, screen }: Surface): string {
  const { title, bytes, shape } = verified
  const from = shape === undefined ? '' : `, out of ${toOneLine(shape)}`
  const head = `${paint('strong', toOneLine(title))}, ${bytes} bytes${from}`
  const line = screen === undefined ? undefined : renderLifeLine(verified.life, verified.now, screen)
  const lines = [...listFacts(verified), ...listRemarks(verified, paint), ...(line === undefined ? [] : [line])]
  const blocks = [
    [head, ...lines.map((text) => `    ${text}`)],
    verified.checks.flatMap((check) => renderCheck(check, paint)),
    [renderVerdict(verified, paint)],
  ]
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`
}

function listFacts({ facts, hidden, life, headers }: Verified): string[] {
  const { issuedAt, expiresAt } = life
  const lifeSec = issuedAt !== undefined && expiresAt !== undefined ? Math.round((expiresAt - issuedAt) / 1000) : -1
  return [
    ...facts.map(({ name, value }) => toOneLine(`${name}: ${value}`)),
    ...(lifeSec >= 0 ? [`life: ${renderLife(lifeSec)}`] : []),
    ...(hidden.length > 0 ? [`not shown: ${hidden.join(', ')}`] : []),
    ...(headers.length > 0 ? [`headers beside it: ${headers.map(renderHeader).join(', ')}`] : []),
  ]
}

/** In days where it is that long: keys live for months. */
function renderLife(seconds: number): string {
  return seconds < 2 * 86_400 ? renderDuration(seconds) : `${Math.floor(seconds / 86_400)} days`
}

function renderHeader({ name, title, expiresAt }: HeaderDescription): string {
  const end = expiresAt === undefined ? '' : ` until ${new Date(expiresAt).toISOString()}`
  return toOneLine(`${name}: ${title === undefined ? '***' : `${title}${end}`}`)
}

function listRemarks({ warnings, notes }: Verified, paint: Terminal['paint']): string[] {
  return [...warnings, ...notes].map((text) => `${paint('caution', '!')} ${toOneLine(text)}`)
}

const marks: Readonly<Record<CheckStatus, { readonly text: string; readonly style: Style }>> = {
  met: { text: '✓', style: 'strong' },
  unmet: { text: '✗', style: 'bad' },
  unknown: { text: '?', style: 'caution' },
  'not asked': { text: '–', style: 'quiet' },
}

function renderCheck({ name, status, message, hint }: TokenCheck, paint: Terminal['paint']): string[] {
  const { text, style } = marks[status]
  const line = `${paint(style, text)} ${name}: ${toOneLine(message)}`
  return hint === undefined ? [line] : [line, `    → ${toOneLine(hint)}`]
}

const verdictWords: Readonly<Record<TokenVerdict, { readonly text: string; readonly style: Style }>> = {
  good: { text: 'Good.', style: 'strong' },
  bad: { text: 'Not good.', style: 'bad' },
  'not found out': { text: 'Whether it is good could not be found out.', style: 'caution' },
  'not judged': { text: 'Nothing is wrong with what it states; who made it was not verified.', style: 'strong' },
}

function renderVerdict({ verdict }: Verified, paint: Terminal['paint']): string {
  const { text, style } = verdictWords[verdict]
  return paint(style, text)
}
