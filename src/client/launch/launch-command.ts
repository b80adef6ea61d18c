// Plans which program and arguments the desktop client starts; `launch.ts` starts them.

import { isDrivePath } from '../../config/fields.ts'
import { limits } from '../../contract/limits.ts'

/** The program and arguments that the operating system starts. */
export interface LaunchCommand {
  readonly file: string
  readonly args: readonly string[]
  /** Whether the arguments are already quoted as one command line. */
  readonly isVerbatim?: boolean
}

/** A command to start, or why no client starts it. */
export type Launch = { readonly command: LaunchCommand } | { readonly problem: string }

/** Plans how the client starts a helper: by an absolute path and arguments, without a shell or expansion; pure. */
export function planLaunch({ command, commandWindows, args = [] }: Launchable, platform: NodeJS.Platform): Launch {
  const problem = validateArguments(args)
  if (problem) return { problem }
  if (platform === 'win32') return planWindowsLaunch(commandWindows ?? command, args)
  if (!command) return { problem: 'no command is set' }
  if (command.startsWith('//')) return { problem: networkPath }
  if (!command.startsWith('/')) return { problem: relativePath }
  return { command: { file: command, args } }
}

/** The settings of a document that name the program to start. */
interface Launchable {
  readonly command?: string | undefined
  readonly commandWindows?: string | undefined
  readonly args?: readonly string[] | undefined
}

const networkPath = 'the command is a network path'

/** Why a client without a shell refuses a bare program name or a relative path. */
export const relativePath = 'the command is not an absolute path'

/** Characters that end the quotes of a Windows command line, or that are expanded inside them. */
const unquotable = /["%\x00-\x1f]/

/** Checks the limits of the specification for the length and the characters of `args`. */
function validateArguments(args: readonly string[]): string | undefined {
  const index = args.findIndex((argument) => argument.length > limits.argumentLength || unquotable.test(argument))
  return index < 0
    ? undefined
    : `argument ${index + 1} is longer than ${limits.argumentLength} characters or holds ", % or a control character`
}

/** Uses the file's extension, as clients do. */
function planWindowsLaunch(path: string | undefined, args: readonly string[]): Launch {
  if (!path) return { problem: 'no commandWindows is set' }
  if (/^[\\/]{2}/.test(path)) return { problem: networkPath }
  if (!isDrivePath(path)) return { problem: 'the command does not start with a drive letter, a colon and a slash' }
  if (unquotable.test(path)) return { problem: 'the command holds ", % or a control character' }
  const extension = /\.[^.\\/]*$/.exec(path)?.[0].toLowerCase()
  if (extension === '.cmd' || extension === '.bat') return { command: createCmdLaunch(path, args) }
  if (extension === '.ps1') return { command: { file: 'powershell.exe', args: [...powershellFlags, path, ...args] } }
  return { command: { file: path, args } }
}

const powershellFlags = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File']

/**
 * With `/s`, cmd.exe removes only the outermost quotes; between quotes, `& | < > ^` have no special meaning. A script passes its arguments
 * unchanged to a program, which reads a backslash before a quote as an escape; so trailing backslashes are doubled.
 */
function createCmdLaunch(path: string, args: readonly string[]): LaunchCommand {
  const line = [path, ...args].map((word) => `"${word.replace(/\\+$/, '$&$&')}"`).join(' ')
  return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true }
}
