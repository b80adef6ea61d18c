import { sep } from 'node:path'

/** The system whose shell reads a hint of this process. */
export const ownSystem: 'posix' | 'windows' = sep === '\\' ? 'windows' : 'posix'

/** Renders the command that shows who owns a file or directory and who may read it; both shells of Windows know `icacls`. */
export function describeLook(path: string, system: 'posix' | 'windows'): string {
  return `${system === 'windows' ? 'icacls' : 'ls -ld'} ${quoteForHint(path, system)}`
}

/** Renders the hint to look at a file or directory of this machine. */
export function renderLookHint(path: string): string {
  return `look at it with: ${describeLook(path, ownSystem)}`
}

/** The command that lists the disks and shares of this machine; both shells of Windows know `net use`. */
export const mountsCommands = { posix: 'mount', windows: 'net use' } as const

/**
 * Renders the command that removes a file, or a link in place of a file or of a directory. `del` of Windows would empty the directory to which a
 * link leads, and `rmdir` removes the link.
 */
export function describeRemoval(path: string, place: 'file' | 'directory', system: 'posix' | 'windows'): string {
  const onWindows = place === 'file' ? 'del' : 'rmdir'
  return `${system === 'windows' ? onWindows : 'rm'} ${quoteForHint(path, system)}`
}

/**
 * Quotes words as one line of a POSIX shell. AWS tools split their line by the same rules (`shlex.split`): both leave everything between
 * single quotes unchanged.
 */
export function quoteForShell(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : quoteWord(word))).join(' ')
}

/** Quotes a path or name as one word of a command in a hint for a POSIX shell, always between quotes. */
export function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Quotes a path or name as one word of a command in a hint, for the shells of the system on which the hint is read. */
export function quoteForHint(word: string, system: 'posix' | 'windows' = ownSystem): string {
  return system === 'windows' ? quoteForWindows([word]) : quoteWord(word)
}

/** A word without a special character of any shell. */
const plain = /^[\w@+:,./-][\w@+:,./=-]*$/

/**
 * Quotes words as one line for Windows, where a program splits its own line and cmd.exe expands between percent signs. The caller has
 * checked the words with {@link hasUnquotable}.
 */
export function quoteForWindows(words: readonly string[]): string {
  // A backslash before the closing quote would escape it.
  return words.map((word) => (/^[\w+:,./\\-]+$/.test(word) ? word : `"${word.replace(/\\+$/, '$&$&')}"`)).join(' ')
}

/** Returns whether a word cannot be quoted on a line: a control character on any system, a quote or percent sign on Windows. */
export function hasUnquotable(words: readonly string[], system: 'posix' | 'windows'): boolean {
  const wrong = system === 'windows' ? /["%\x00-\x1f\x7f]/ : /[\x00-\x1f\x7f]/
  return words.some((word) => wrong.test(word))
}

/** Quotes a name as one word of a command in a hint, in the quotes that POSIX shells, cmd.exe and PowerShell share. */
export function quoteForAnyShell(name: string): string {
  return /^[\w@%+=:,./-]+$/.test(name) ? name : `"${name.replaceAll(/["$`\\]/g, '\\$&')}"`
}

/**
 * Quotes a text as one word of PowerShell, which expands nothing between single quotes. It treats typographic quotes as quotes too, and a
 * doubled one as itself.
 */
export function quoteForPowerShell(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`
}

/** Quotes a foreign value for a message: its first 200 characters, or `none` if it is not a string. */
export function quoteForeign(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 200)}"` : 'none'
}

/** How many names a message repeats that somebody else has chosen. Our decision. */
export const maxNames = 10

/** The most characters of one such name. */
const longestName = 200

/** Quotes a name in a message, shortened if it is long. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > longestName ? `${name.slice(0, longestName)}…` : name)
}

/** Quotes names in a message, and counts the omitted ones. */
export function quoteNames(names: readonly string[], most = maxNames): string {
  const shown = names.slice(0, most).map(quoteName)
  const left = names.length - shown.length
  return [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ')
}
