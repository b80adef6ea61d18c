import { structuredPatch } from 'diff'
import { toOneLine } from '../../runtime/failure.ts'
import type { Terminal } from '../terminal.ts'
import type { FolderChange } from './write-folder.ts'

/** What would change, file by file, with the lines that differ. */
export function renderChanges(changes: readonly FolderChange[], paint: Terminal['paint']): string {
  return changes
    .filter(({ kind }) => kind !== 'same')
    .map((change) => `${paint('strong', titles[change.kind])}  ${toOneLine(change.path)}\n${renderLines(change)}`)
    .join('')
}

const titles: Readonly<Record<FolderChange['kind'], string>> = {
  new: 'new',
  same: 'same',
  changed: 'changes',
  removed: 'goes',
  kept: 'kept: changed by somebody since',
}

function renderLines({ kind, before, after, isSecret, isExport }: FolderChange): string {
  if (kind === 'new' || kind === 'removed' || (isExport && kind === 'changed')) return ''
  if (isSecret) return '  its lines hold a secret, and are not shown\n'
  const { hunks } = structuredPatch('before', 'after', decode(before), decode(after), '', '', { context: 0 })
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => /^[+-]/.test(line))
  const shown = lines.slice(0, longestDiff).map((line) => `  ${shorten(toOneLine(`${line[0]} ${line.slice(1)}`))}\n`)
  const more = lines.length > longestDiff ? `  … and ${lines.length - longestDiff} more lines\n` : ''
  return shown.join('') + more
}

/** The beginning of a long line, because a list of arguments is one. */
function shorten(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line
}

const longestLine = 160

/** More lines of one file say no more to a person. */
const longestDiff = 12

/** Registry files are UTF-16 with a byte order mark. */
function decode(content: Uint8Array): string {
  const isUtf16 = content[0] === 0xff && content[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(content).replaceAll('\r\n', '\n')
}
