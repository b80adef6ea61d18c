import type { HelperScriptCredential } from '../document.ts'
import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'
import {
  findPathProblem,
  findSlashAtEnd,
  findTypeProblem,
  hasArguments,
  isAbsolute,
  type PathStyle,
} from '../values/validate-path.ts'
import { toCredentialPath as at, reportMissing, type Subject } from './rule.ts'

/** Validates the helper's path for the document's system: it must be set, absolute, and a path alone. */
export function validateCommandPaths({ command, commandWindows }: HelperScriptCredential, subject: Subject): Finding[] {
  const isForWindows = subject.os === 'windows' || (subject.os === undefined && command === undefined)
  if (!isForWindows) {
    if (command === undefined)
      return reportMissing(
        subject,
        at('command'),
        'macOS and Linux have no helper to run',
        'set it to the absolute path of the helper',
      )
    return validateCommand(
      command,
      subject.os || !isAbsolute(command, 'windows') ? 'posix' : 'windows',
      'command',
      subject,
    )
  }
  if (commandWindows !== undefined) return validateCommand(commandWindows, 'windows', 'commandWindows', subject)
  if (command === undefined || !isAbsolute(command, 'windows')) {
    return reportMissing(
      subject,
      at('commandWindows'),
      'Windows has no helper to run',
      'set it to the full path of the helper, beginning with a drive letter',
    )
  }
  const misplaced = createFinding(
    'windows-path-in-command',
    subject.spell(at('command')),
    'it is a Windows path, but other systems read this field too',
    `move it to ${subject.spell(at('commandWindows'))}`,
  )
  return [misplaced, ...validateCommand(command, 'windows', 'command', subject)]
}

function validateCommand(
  value: string,
  style: PathStyle,
  name: 'command' | 'commandWindows',
  { spell }: Subject,
): Finding[] {
  const path = spell(at(name))
  const problem = findPathProblem(value, style, path) ?? findSlashAtEnd(value, style, path)
  if (!hasArguments(value)) return [problem ?? findTypeProblem(value, style, path) ?? []].flat()
  const hasMore = createFinding(
    'arguments-in-path',
    path,
    'it holds arguments or quotes beside the path, and no shell splits it',
    `write only the path here, without quotes, and put the arguments into ${spell(at('args'))}`,
  )
  return problem ? [hasMore, problem] : [hasMore]
}

/** Validates the paths of the cloud tools' directory and program, which must be absolute. */
export function validateCloudPaths({ awsEnv }: HelperScriptCredential, { os, spell }: Subject): Finding[] {
  return (['awsDir', 'awsCliPath'] as const).flatMap((name) => {
    const value = awsEnv?.[name]
    if (value === undefined) return []
    const style = os === 'windows' || (os === undefined && isAbsolute(value, 'windows')) ? 'windows' : 'posix'
    const path = spell(at(`awsEnv.${name}`))
    const problem = findPathProblem(value, style, path)
    return problem ?? ((name === 'awsCliPath' && findSlashAtEnd(value, style, path)) || [])
  })
}
