import type { Environment } from '../../runtime/environment.ts'

/** What the system is asked to start. */
export interface SystemCommand {
  readonly program: string
  readonly args: readonly string[]
  /** The arguments are one command line already. */
  readonly isVerbatim?: boolean
}

/**
 * How a file is started: on Windows a batch file by cmd.exe, with every word in quotes, between which `& | < > ^ !` mean nothing.
 * A quote is doubled, which keeps the quotes in pairs; a percent sign is followed by an empty part of a variable, so that it names none;
 * backslashes before the end are doubled, because a program takes one before a quote for a part of the word. The file's path is
 * quoted too, where others escape its blanks: Wine understands that alone (seen).
 */
export function toSystemCommand(
  { file, args }: { readonly file: string; readonly args: readonly string[] },
  platform: NodeJS.Platform,
  env: Environment,
): SystemCommand {
  if (platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(file)) return { program: file, args }
  const line = [file.replaceAll('/', '\\'), ...args].map(quote).join(' ')
  const flags = ['/d', '/e:on', '/v:off', '/s', '/c']
  return { program: env.ComSpec ?? env.COMSPEC ?? 'cmd.exe', args: [...flags, `"${line}"`], isVerbatim: true }
}

function quote(word: string): string {
  return `"${word
    .replace(/\\+(?=$|")/g, '$&$&')
    .replaceAll('"', '""')
    .replaceAll('%', '%%cd:~,%')}"`
}
