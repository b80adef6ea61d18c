import { structuredPatch } from 'diff'
import { toOneLine } from '../../../runtime/failure.ts'
import type { Terminal } from '../../terminal.ts'
import type { FolderChange } from './compare-folder.ts'

/** What would change, file by file, with the lines that differ. */
export function renderChanges(changes: readonly FolderChange[], paint: Terminal['paint']): string {
  return changes
    .filter(({ kind }) => kind !== 'same' && kind !== 'own')
    .map((change) => `${paint('strong', titles[change.kind])}  ${toOneLine(change.path)}\n${renderLines(change)}`)
    .join('')
}

const titles: Readonly<Record<FolderChange['kind'], string>> = {
  new: 'new',
  same: 'same',
  changed: 'changes',
  removed: 'goes',
  undecided: 'stays',
  own: 'stays',
}

function renderLines(change: FolderChange): string {
  const { saved } = change
  const text = renderDifference(change)
  return saved === undefined ? text : `${text}  what was there stays in ${toOneLine(saved)}\n`
}

function renderDifference({ kind, before, after, isSecret, isExport }: FolderChange): string {
  if (kind === 'undecided') return '  its text is not the one that setup wrote here\n'
  if (kind === 'new' || kind === 'removed' || isExport) return ''
  if (isSecret) return '  its lines hold a secret, and are not shown\n'
  const { hunks } = structuredPatch('before', 'after', decode(before), decode(after), '', '', { context: 0 })
  const lines = hunks.flatMap((hunk) => toShownLines(hunk.lines))
  if (lines.length === 0) return '  only blanks or the ends of lines differ\n'
  const more = lines.length > longestDiff ? `  … and ${lines.length - longestDiff} more lines\n` : ''
  return lines.slice(0, longestDiff).join('') + more
}

/** The lines of one place that differ for somebody who reads them; each beginning is cut away that a line and the one for it share. */
function toShownLines(lines: readonly string[]): string[] {
  const [old, added] = ['-', '+'].map((sign) => lines.filter((line) => line[0] === sign).map((line) => line.slice(1)))
  const pairs = Array.from({ length: Math.max(old!.length, added!.length) }, (_, index) => [old![index], added![index]])
  const shown = pairs.filter(([before, after]) => before?.trimEnd() !== after?.trimEnd())
  const toSide = (sign: string, side: 0 | 1) =>
    shown.flatMap((pair) => {
      const line = pair[side]
      return line === undefined ? [] : [`  ${toOneLine(`${sign} ${cutToDifference(line, pair[1 - side])}`)}\n`]
    })
  return [...toSide('-', 0), ...toSide('+', 1)]
}

/** A long line from a little before the place where it differs, because a list of arguments is one line. */
function cutToDifference(line: string, other: string | undefined): string {
  if (line.length <= longestLine) return line
  const shared = other === undefined ? 0 : [...line].findIndex((character, index) => character !== other[index])
  const start = shared + shownAround < longestLine ? 0 : shared - shownAround
  const piece = line.slice(start, start + longestLine)
  return `${start > 0 ? '…' : ''}${piece}${start + longestLine < line.length ? '…' : ''}`
}

const longestLine = 160

/** Characters before the first difference. */
const shownAround = 40

/** More lines of one file say no more to a person. */
const longestDiff = 12

/** Registry files are UTF-16 with a byte order mark. */
function decode(content: Uint8Array): string {
  const isUtf16 = content[0] === 0xff && content[1] === 0xfe
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(content).replaceAll('\r\n', '\n')
}
