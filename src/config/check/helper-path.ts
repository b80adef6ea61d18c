import type { HelperScriptCredential } from '../document.ts'
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'
import { findPathProblem, hasArguments, isAbsolute, type PathStyle } from '../values/validate-path.ts'
import { missing, type Subject } from './rule.ts'

const at = (name: string) => `inference.credential.${name}`

/** The path that this system uses is there, absolute and a path alone. */
export function commandCanStart({ command, commandWindows }: HelperScriptCredential, subject: Subject): Finding[] {
  const isForWindows = subject.os === 'windows' || (subject.os === undefined && command === undefined)
  if (!isForWindows) {
    if (command === undefined)
      return missing(
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
    return missing(
      subject,
      at('commandWindows'),
      'Windows has no helper to run',
      'set it to the full path of the helper, beginning with a drive letter',
    )
  }
  const elsewhere = finding(
    'windows-path-in-command',
    subject.spell(at('command')),
    'a Windows path stands here, where other systems look too',
    `move it to ${subject.spell(at('commandWindows'))}`,
  )
  return [elsewhere, ...validateCommand(command, 'windows', 'command', subject)]
}

function validateCommand(
  value: string,
  style: PathStyle,
  name: 'command' | 'commandWindows',
  { spell }: Subject,
): Finding[] {
  const path = spell(at(name))
  const problem = findPathProblem(value, style, path)
  const problems = problem ? [problem] : []
  if (!hasArguments(value)) return problems
  const separate = finding(
    'arguments-in-path',
    path,
    'arguments or quotes stand in the path, which no shell takes apart',
    `leave the path alone here, without quotes, and put arguments into ${spell(at('args'))}`,
  )
  return [separate, ...problems]
}

/** The cloud's directory and program are absolute paths too. */
export function cloudPathsAreAbsolute({ awsEnv }: HelperScriptCredential, { os, spell }: Subject): Finding[] {
  return (['awsDir', 'awsCliPath'] as const).flatMap((name) => {
    const value = awsEnv?.[name]
    if (value === undefined) return []
    const style = os === 'windows' || (os === undefined && isAbsolute(value, 'windows')) ? 'windows' : 'posix'
    return findPathProblem(value, style, spell(at(`awsEnv.${name}`))) ?? []
  })
}
