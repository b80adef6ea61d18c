import { quoteForShell } from '../../runtime/text/quote.ts'
import { isOpenToOthers } from '../../runtime/unsafe-links.ts'
import { createFinding, type Finding } from '../finding.ts'
import type { ReadResult } from '../read/read-document.ts'
import { type OperatingSystem, toSubject } from './rule.ts'

/** Access to this machine's files for the check. */
export interface MachineFiles {
  /** Reads a status, and follows links; `undefined` if the path does not exist. */
  readonly findStatus: (path: string) => Promise<{ readonly mode: number; isFile(): boolean } | undefined>
  /** Lists the names of a file's extended attributes; empty if the system has none. */
  readonly listAttributes: (path: string) => Promise<readonly string[]>
}

/** Checks that the helper can run on this machine. A path that is not in the document is not checked. */
export async function checkMachine(result: ReadResult, os: OperatingSystem, files: MachineFiles): Promise<Finding[]> {
  const subject = toSubject(result, { os })
  const credential = subject?.inference.credential
  if (!subject || credential?.kind !== 'helper-script') return []
  const name = os === 'windows' && credential.commandWindows ? 'commandWindows' : 'command'
  const at = (field: string) => subject.spell(`inference.credential.${field}`)
  const cli = credential.awsEnv?.awsCliPath
  return [
    ...(credential[name] ? await validateExecutable(credential[name], at(name), os, files) : []),
    ...(cli && !(await files.findStatus(cli))
      ? [
          createFinding(
            'cli-missing',
            at('awsEnv.awsCliPath'),
            'it is not on this machine',
            'install it there, or correct the path',
          ),
        ]
      : []),
  ]
}

async function validateExecutable(
  command: string,
  path: string,
  os: OperatingSystem,
  files: MachineFiles,
): Promise<Finding[]> {
  const status = await files.findStatus(command)
  if (!status?.isFile()) {
    return [
      createFinding(
        'command-missing',
        path,
        `there is no file ${command} on this machine`,
        'install the helper there, or correct the path',
      ),
    ]
  }
  if (os === 'windows') return []
  return [...validateMode(command, path, status.mode), ...(await validateQuarantine(command, path, files))]
}

function validateMode(command: string, path: string, mode: number): Finding[] {
  const problems: Finding[] = []
  if ((mode & 0o111) === 0) {
    problems.push(
      createFinding(
        'command-not-executable',
        path,
        'the file is not executable',
        `sudo chmod a+x ${quoteForShell([command])}`,
      ),
    )
  }
  if (isOpenToOthers({ mode })) {
    problems.push(
      createFinding(
        'command-writable',
        path,
        'its group or others may replace the file',
        `sudo chmod go-w ${quoteForShell([command])}`,
      ),
    )
  }
  return problems
}

async function validateQuarantine(command: string, path: string, files: MachineFiles): Promise<Finding[]> {
  if (!(await files.listAttributes(command)).includes(quarantine)) return []
  return [
    createFinding(
      'command-quarantined',
      path,
      'macOS holds the file in quarantine',
      `sudo xattr -d ${quarantine} ${quoteForShell([command])}`,
    ),
  ]
}

const quarantine = 'com.apple.quarantine'
