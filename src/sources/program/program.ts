import { isAbsolute } from 'node:path'
import { HelperError } from '../../runtime/failure.ts'
import { expandHome } from '../../runtime/files.ts'
import type { Host } from '../../runtime/host.ts'

/** The part of the host that running a program needs. */
export type ProgramHost = Pick<Host, 'env' | 'home' | 'platform'>

/** A program that prints a token, and where it is looked for. */
export interface Program {
  /** An absolute path, or a name. Messages say it. */
  readonly name: string
  readonly args: readonly string[]
  /** The PATH on which a name is searched, in place of that of this process. */
  readonly path: string | undefined
}

/**
 * Reads a program with its arguments from an option that is a list.
 * @param option Its name, for messages.
 * @throws {HelperError} `usage` for a path that depends on the working directory, which the client chooses; and for an argument
 * that Windows cannot give to a script.
 */
export function parseProgram(
  [first = '', ...args]: readonly string[],
  { home, platform }: Pick<Host, 'home' | 'platform'>,
  { option, path }: { readonly option: string; readonly path: string | undefined },
): Program {
  const name = expandHome(first, home)
  const isRelative = !isAbsolute(name) && (platform === 'win32' ? /[\\/]/ : /\//).test(name)
  if (isRelative)
    throw new HelperError(
      'usage',
      `${option} begins with a path that is not absolute`,
      'write the absolute path of the program, one that begins with ~/, or its name alone',
    )
  // What cmd.exe reads ends at a line break, so that no quoting hides one.
  if (platform === 'win32' && args.some((arg) => /[\r\n]/.test(arg)))
    throw new HelperError('usage', `an argument in ${option} has a line break`, 'leave the line break out')
  return { name, args, path }
}

/** A program in words, without its arguments, which may hold a secret. */
export function describeProgram({ name, args }: Program): string {
  return args.length === 0 ? name : `${name}, with ${args.length} argument${args.length === 1 ? '' : 's'}`
}
