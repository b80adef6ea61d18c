/**
 * Words as one line of a POSIX shell. AWS tools split their line by the same rules (`shlex.split`): both take everything
 * between single quotes as it is.
 */
export function quoteForShell(words: readonly string[]): string {
  return words.map((word) => (plain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')
}

/** Without a meaning in any shell. */
const plain = /^[\w@+:,./-][\w@+:,./=-]*$/

/**
 * Words as one line for Windows, where a program splits its own line and cmd.exe replaces between percent signs. The caller
 * has made sure that {@link hasUnquotable} finds nothing.
 */
export function quoteForWindows(words: readonly string[]): string {
  // A backslash before the closing quote would belong to the word.
  return words.map((word) => (/^[\w+:,./\\-]+$/.test(word) ? word : `"${word.replace(/\\+$/, '$&$&')}"`)).join(' ')
}

/** Whether a word cannot stand on a line: a control character on any system, a quote or percent sign on Windows. */
export function hasUnquotable(words: readonly string[], system: 'posix' | 'windows'): boolean {
  const wrong = system === 'windows' ? /["%\x00-\x1f\x7f]/ : /[\x00-\x1f\x7f]/
  return words.some((word) => wrong.test(word))
}
