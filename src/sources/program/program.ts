// Folder: running a program that prints a token, and reading its output and its failure.

import { basename, posix, win32 } from 'node:path'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { renderCounted } from '../../runtime/text/counted.ts'

/** The part of the host that running a program needs. */
export type ProgramHost = Pick<Host, 'env' | 'home' | 'platform'>

/** A program that prints a token, and the PATH on which it is searched. */
export interface Program {
  /** The absolute path or the name, which messages show. */
  readonly name: string
  readonly args: readonly string[]
  /** The PATH on which a name is searched instead of the PATH of this process. */
  readonly path: string | undefined
}

/**
 * Parses a program and its arguments from an option that is a list.
 * @param option The option's name, for messages.
 * @throws {HelperError} `usage` for a path that depends on the working directory, which the client chooses, and for an argument that
 * Windows cannot pass to a script.
 */
export function parseProgram(
  [first = '', ...args]: readonly string[],
  { home, platform }: Pick<Host, 'home' | 'platform'>,
  { option, path }: { readonly option: string; readonly path: string | undefined },
): Program {
  const name = expandHome(first, home)
  const isWindows = platform === 'win32'
  const isRelative = !(isWindows ? win32 : posix).isAbsolute(name) && (isWindows ? /[\\/]/ : /\//).test(name)
  if (isRelative)
    throw new HelperError(
      'usage',
      `${option} begins with a path that is not absolute`,
      'write the absolute path of the program, one that begins with ~/, or its name alone',
    )
  // In cmd.exe a command ends at a line break, even inside quotes.
  if (isWindows && args.some((arg) => /[\r\n]/.test(arg)))
    throw new HelperError('usage', `an argument in ${option} has a line break`, 'remove the line break')
  return { name, args, path }
}

/** Names a program by its file, without the ending of Windows: `gcloud` for `C:\sdk\gcloud.cmd`. */
export function nameProgram(path: string): string {
  return basename(path).replace(/\.(?:exe|cmd|bat|com)$/i, '')
}

/** Describes a program without its arguments, which may hold a secret. */
export function describeProgram({ name, args }: Program): string {
  return args.length === 0 ? name : `${name}, with ${renderCounted(args.length, 'argument')}`
}
