// Folder: the changes of a `gatepass setup` run in its folder: comparing, showing and writing them.

import { isAbsolute, relative, resolve } from 'node:path'
import { structuredPatch } from 'diff'
import { outcomeStatus, renderHint, renderWarning, toOneLine } from '../../../runtime/failure.ts'
import { renderCounted } from '../../../runtime/text/counted.ts'
import { findUtf16Encoding } from '../../../runtime/text/decode-text.ts'
import { quoteForHint, quoteForShell } from '../../../runtime/text/quote.ts'
import { programName } from '../../../version.ts'
import { isYes } from '../../ask-to-run.ts'
import type { Cli } from '../../cli.ts'
import type { Terminal } from '../../terminal.ts'
import { describeCompletion, documentPath, isWrittenFolder, vendorPath } from '../folder.ts'
import type { PlannedFolder } from '../plan-folder.ts'
import { compareFolder, type FileDecisions, type FolderChange } from './compare-folder.ts'
import type { OwnDifference } from './differences.ts'
import { writeFolder } from './write-folder.ts'

/** The options about an existing folder. */
export interface ApplyFlags {
  readonly write?: true
  readonly keep?: readonly string[]
  readonly take?: readonly string[]
}

/**
 * Writes a new folder at once; for an existing one it shows the changes, and writes the chosen ones.
 * @returns Whether the folder is now as planned, except for a person's own files.
 */
export async function applyFolder(
  cli: Cli,
  directory: string,
  { files, open, missing, differences }: Omit<PlannedFolder, 'findings'>,
  flags: ApplyFlags,
): Promise<'applied' | 'declined'> {
  const changes = await compareFolder(directory, files, toDecisions(directory, flags))
  const undecided = changes.filter(({ kind }) => kind === 'undecided')
  cli.setExitStatus(
    undecided.length > 0 || open.length > 0 || differences.length > 0 ? outcomeStatus.no : outcomeStatus.done,
  )
  const outcome = await writeWanted(cli, directory, changes, flags)
  if (undecided.length > 0) tellUndecided(cli, directory, undecided)
  for (const difference of differences) tellDifference(cli, difference)
  if (open.length > 0) tellOpen(cli, directory, { open, missing })
  return outcome
}

async function writeWanted(
  cli: Cli,
  directory: string,
  changes: readonly FolderChange[],
  flags: ApplyFlags,
): Promise<'applied' | 'declined'> {
  const isNew = !(await isWrittenFolder(directory))
  const changing = changes.filter(({ kind }) => !unwrittenKinds.has(kind))
  const isUndecided = changes.some(({ kind }) => kind === 'undecided')
  if (!isNew || isUndecided) cli.terminal.print(renderChanges(changes, cli.terminal.paint))
  if (changing.length === 0) {
    cli.terminal.print(`Nothing ${isUndecided ? 'else ' : ''}changes in ${toOneLine(directory)}.\n`)
    if (flags.keep) await applyKept(cli, directory, changes, flags)
    return 'applied'
  }
  if (isNew || flags.write || (await askToWrite(cli, changing))) {
    await writeFolder(directory, changes)
    cli.terminal.print(renderWritten(directory, changing, isNew ? 'new' : 'changed'))
    if (flags.keep) cli.terminal.print(renderKept(flags.keep))
    return 'applied'
  }
  cli.terminal.tell(`${programName}: nothing was written; to write it, pass --write\n`)
  cli.setExitStatus(outcomeStatus.no)
  return 'declined'
}

function renderKept(keep: readonly string[]): string {
  return `From now on ${keep.map(toOneLine).join(', ')} ${keep.length > 1 ? 'are' : 'is'} left to ${keep.length > 1 ? 'their' : 'its'} owner.\n`
}

const unwrittenKinds: ReadonlySet<FolderChange['kind']> = new Set(['same', 'own', 'undecided'])

/** Returns the given files as paths of the folder; a person may name them from the current directory. */
export function toDecisions(directory: string, { keep = [], take = [] }: ApplyFlags): FileDecisions {
  const toPath = (text: string) => {
    const path = relative(directory, resolve(text))
    return (path.startsWith('..') || isAbsolute(path) ? text : path).replaceAll('\\', '/')
  }
  return { keep: keep.map(toPath), take: take.map(toPath) }
}

function tellUndecided({ terminal }: Cli, directory: string, undecided: readonly FolderChange[]): void {
  const paths = undecided.map(({ path }) => path)
  const toOptions = (option: string) => paths.map((path) => `${option} ${quoteForShell([path])}`).join(' ')
  const command = `${programName} setup ${quoteForHint(directory)}`
  terminal.tell(
    renderWarning(
      programName,
      `${renderCounted(paths.length, 'file')} that somebody has changed ${paths.length > 1 ? 'stay' : 'stays'} as before: ${paths.join(', ')}`,
    ) +
      renderHint(programName, `to leave it to its owner from now on: ${command} --write ${toOptions('--keep')}`) +
      renderHint(
        programName,
        `to see the new text: ${command} ${toOptions('--take')}; with --write it is written, and the old one stays beside it`,
      ),
  )
}

/** Exports are generated from a person's own file, but pages from the answers, which only the person can correct. */
function tellDifference({ terminal }: Cli, { path, fields }: OwnDifference): void {
  const what = fields.length > 0 ? ` in ${fields.join(', ')}` : ''
  const way =
    path === vendorPath
      ? 'pass it as --client: every export is made for the client of the answers'
      : 'give the answers that it follows, such as --arg for one more argument; the pages are made from the answers'
  terminal.tell(
    renderWarning(programName, `${path}, which somebody has changed, differs from the answers${what}`) +
      renderHint(programName, way),
  )
}

function tellOpen(
  { terminal }: Cli,
  directory: string,
  { open, missing }: Pick<PlannedFolder, 'open' | 'missing'>,
): void {
  terminal.tell(
    renderWarning(programName, `the folder is not complete: ${missing} are still missing`) +
      renderHint(programName, describeCompletion(directory, open)),
  )
}

/** Renders the planned changes: each file, with its different lines. */
function renderChanges(changes: readonly FolderChange[], paint: Terminal['paint']): string {
  return changes
    .filter(({ kind }) => kind !== 'same' && kind !== 'own')
    .map((change) => `${paint('strong', titles[change.kind])}  ${toOneLine(change.path)}\n${renderLines(change)}`)
    .join('')
}

const titles: Readonly<Record<FolderChange['kind'], string>> = {
  new: 'new',
  same: 'same',
  changed: 'changes',
  removed: 'removed',
  undecided: 'kept',
  own: 'kept',
}

async function applyKept(
  cli: Cli,
  directory: string,
  changes: readonly FolderChange[],
  { keep = [], write }: ApplyFlags,
): Promise<void> {
  if (!write) {
    cli.terminal.tell(`${programName}: to leave ${keep.map(toOneLine).join(', ')} to its owner, pass --write\n`)
    return cli.setExitStatus(outcomeStatus.no)
  }
  await writeFolder(directory, changes)
  cli.terminal.print(renderKept(keep))
}

async function askToWrite({ terminal }: Cli, changing: readonly FolderChange[]): Promise<boolean> {
  using conversation = terminal.startConversation()
  const answer = await conversation?.ask(`Write ${renderCounted(changing.length, 'file')}? [y/N] `)
  return isYes(answer)
}

function renderWritten(directory: string, changing: readonly FolderChange[], folder: 'new' | 'changed'): string {
  const shown = toOneLine(directory)
  if (folder === 'changed') return `Wrote ${renderCounted(changing.length, 'change')} in ${shown}.\n`
  const trial = `Then try it before anybody has it: ${programName} setup try ${quoteForHint(directory)}\n`
  const hasDocument = changing.some(({ path }) => path === documentPath)
  return `Wrote ${renderCounted(changing.length, 'file')} in ${shown}: README.md says what each is, registration.md what to register.\n${hasDocument ? trial : ''}`
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

/** Decodes a file of the folder; registry files are UTF-16. */
function decode(content: Uint8Array): string {
  return new TextDecoder(findUtf16Encoding(content) ?? 'utf-8').decode(content).replaceAll('\r\n', '\n')
}

/** Returns the different lines of one place for a reader; a common beginning of two corresponding lines is cut off. */
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

/** Cuts a long line to what begins shortly before its difference, because a list of arguments is one line. */
function cutToDifference(line: string, other: string | undefined): string {
  if (line.length <= longestLine) return line
  const shared = other === undefined ? 0 : [...line].findIndex((character, index) => character !== other[index])
  const start = shared + shownAround < longestLine ? 0 : shared - shownAround
  const piece = line.slice(start, start + longestLine)
  return `${start > 0 ? '…' : ''}${piece}${start + longestLine < line.length ? '…' : ''}`
}

const longestLine = 160

/** The characters before the first difference. */
const shownAround = 40

/** More lines of one file would not help a reader. */
const longestDiff = 12
