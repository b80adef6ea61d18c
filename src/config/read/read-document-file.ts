import { lstat } from 'node:fs/promises'
import { describeReadFailure, readNamedFile } from '../../runtime/named-file.ts'
import { describeLook, mountsCommands, ownSystem, quoteForShell } from '../../runtime/text/quote.ts'
import { isOpenToOthers } from '../../runtime/unsafe-links.ts'
import { vendor } from '../../vendor.ts'
import { createFinding, type Finding } from '../finding.ts'
import { maxBytes, reportTooLarge } from './container.ts'
import { parseDocument, type ReadOptions, type ReadResult, type Shape, toUnreadable } from './read-document.ts'

/**
 * Reads a document from a file or a named pipe, such as a shell's `<(…)`. An unreadable file is a finding too. For Linux's managed file,
 * the owner and the mode are checked as well.
 */
export async function readDocumentFile(
  path: string,
  { shape, limitSec, ...others }: FileOptions = {},
): Promise<ReadResult> {
  const options = { ...others, path }
  try {
    const bytes = await readNamedFile(path, { longestBytes: maxBytes, limitSec })
    if (shape !== 'managed-linux' && path !== vendor.linuxManagedFile)
      return parseDocument(bytes, { ...options, shape })
    const result = parseDocument(bytes, { ...options, native: true })
    return { ...result, findings: [...validateManagedFile(await lstat(path), path), ...result.findings] }
  } catch (cause) {
    return toUnreadable([reportUnreadableFile(path, cause as NodeJS.ErrnoException)])
  }
}

interface FileOptions extends Omit<ReadOptions, 'shape' | 'path'> {
  /** `managed-linux`: the file is the managed file of a Linux machine, or will become it. */
  readonly shape?: Shape | 'managed-linux' | undefined
  /** In seconds: how long reading may take (default: 30). */
  readonly limitSec?: number | undefined
}

/** Reports why a file cannot be read. The message does not name the file, because every list of findings does. */
function reportUnreadableFile(path: string, cause: NodeJS.ErrnoException): Finding {
  const report = (message: string, hint: string) => createFinding('file-unreadable', '', message, hint)
  switch (cause.code) {
    case 'EFBIG':
      return reportTooLarge()
    case 'ENOENT':
      return report('the file does not exist', `check the path: ${path}`)
    case 'EISDIR':
    case 'ENOTFILE':
      return report('it is not a file', `give the path of the document itself in place of ${path}`)
    case 'ETIMEDOUT':
      return report(
        `it ${describeReadFailure(cause)}`,
        `if it is a pipe, have a program write to it and close it; otherwise see what is mounted there with: ${mountsCommands[ownSystem]}`,
      )
    default:
      return report(`it ${describeReadFailure(cause)}`, `see who may read it: ${describeLook(path, ownSystem)}`)
  }
}

/** The part of an `lstat` result that decides whether the client reads a managed file. */
interface FileStatus {
  readonly uid: number
  readonly mode: number
  isSymbolicLink(): boolean
}

/** Reports why a Linux client would refuse its managed file: a link, another owner than root, or writable by others. */
export function validateManagedFile(status: FileStatus, path: string): Finding[] {
  if (status.isSymbolicLink()) {
    return [
      createFinding(
        'file-link',
        '',
        'it is a symbolic link, which the client does not follow here',
        `put the file itself at ${path}`,
      ),
    ]
  }
  const problems: Finding[] = []
  if (status.uid !== 0)
    problems.push(
      createFinding(
        'file-owner',
        '',
        'it does not belong to root',
        `run: sudo chown root:root ${quoteForShell([path])}`,
      ),
    )
  if (isOpenToOthers(status)) {
    problems.push(
      createFinding(
        'file-mode',
        '',
        'its group or others may write it',
        `run: sudo chmod 644 ${quoteForShell([path])}`,
      ),
    )
  }
  return problems
}

/** Renders the command that installs an exported file with the owner and the mode that the client requires. */
export function renderInstallCommand(file: string): string {
  return `sudo install -D -o root -g root -m 0644 ${quoteForShell([file])} ${quoteForShell([vendor.linuxManagedFile])}`
}
