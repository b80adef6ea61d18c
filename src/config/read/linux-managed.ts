import { vendor } from '../../vendor.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'

/** What `lstat` says of a file, as far as it matters here. */
export interface FileStatus {
  readonly uid: number
  readonly mode: number
  isSymbolicLink(): boolean
}

/** Why a Linux client would refuse the managed file: a link, another owner than root, or writable by others. */
export function validateManagedFile(status: FileStatus, path: string): Finding[] {
  if (status.isSymbolicLink()) {
    return [
      finding(
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
      finding('file-owner', '', 'it does not belong to root', `sudo chown root:root ${quoteForShell(path)}`),
    )
  if ((status.mode & 0o022) !== 0) {
    problems.push(finding('file-mode', '', 'its group or others may write it', `sudo chmod 644 ${quoteForShell(path)}`))
  }
  return problems
}

/** The command that puts a file in place as the client wants it. `file` is the path of the exported one. */
export function renderInstallCommand(file: string): string {
  return `sudo install -D -o root -g root -m 0644 ${quoteForShell(file)} ${quoteForShell(vendor.linuxManagedFile)}`
}

/** For a POSIX shell. */
export function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
