import { vendor } from '../../vendor.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'

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
      createFinding('file-owner', '', 'it does not belong to root', `sudo chown root:root ${quoteForShell(path)}`),
    )
  if ((status.mode & 0o022) !== 0) {
    problems.push(
      createFinding('file-mode', '', 'its group or others may write it', `sudo chmod 644 ${quoteForShell(path)}`),
    )
  }
  return problems
}

/** The command that installs an exported file with the owner and the mode that the client requires. */
export function renderInstallCommand(file: string): string {
  return `sudo install -D -o root -g root -m 0644 ${quoteForShell(file)} ${quoteForShell(vendor.linuxManagedFile)}`
}

/** One argument as a POSIX shell reads it back, with quotes only where they are needed. */
export function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
