import { renderCount } from '../../../../client/fleet/report/render-count.ts'
import { renderNotice, renderWarning } from '../../../../runtime/failure.ts'
import { programName } from '../../../program-name.ts'
import { unknownKind } from '../read/read-logs.ts'
import type { InputTrouble } from '../summary/fleet-summary.ts'
import { renderCounted } from './words.ts'

/** As many files are named; `--json` names all. */
const mostNamed = 20

/** What could not be read, file by file, and then what to do, as lines on stderr. Nothing of a file's content is repeated. */
export function renderTroubles(troubles: readonly InputTrouble[]): string {
  const more = troubles.length - mostNamed
  const lines = troubles.slice(0, mostNamed).map(renderTrouble)
  if (more > 0)
    lines.push(renderWarning(programName, `the same of ${renderCounted(more, 'more file')}; --json names all`))
  const hints = new Set(troubles.flatMap(({ reason }) => (reason === undefined ? [] : [chooseHint(reason)])))
  return [...lines, ...[...hints].map((hint) => renderNotice(programName, `hint: ${hint}`))].join('')
}

function renderTrouble({ path, records, line, reason }: InputTrouble): string {
  const unread =
    line === undefined
      ? ''
      : `${renderCounted(records, 'record')} cannot be read, the first in line ${renderCount(line)}`
  if (reason === undefined) return renderWarning(programName, `${path}: ${unread}`)
  return renderNotice(programName, `${path} ${describeReason(reason)}${unread && `; ${unread}`}`)
}

/** Why a file could not be read; the system's words for one that is cut off or damaged say nothing to a person. */
export function describeReason(reason: string): string {
  if (reason === 'Z_BUF_ERROR') return 'ends in the middle of what gzip has packed'
  if (reason.startsWith('Z_')) return 'is damaged: gzip cannot unpack it'
  return /^E[A-Z]+$/.test(reason) ? `cannot be read (${reason})` : `cannot be read: ${reason}`
}

/** One way out for all files with the same reason. */
function chooseHint(reason: string): string {
  if (reason === unknownKind) return `see which logs can be read: ${programName} fleet report --help`
  if (reason === 'ENOENT' || reason === 'ENOTDIR') return 'name files and directories that exist'
  if (reason === 'EACCES' || reason === 'EPERM') return 'run this as a user who may read all of them'
  return 'collect what is damaged or cannot be read once more'
}
