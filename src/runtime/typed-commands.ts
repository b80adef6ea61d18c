import { findTypedWords, type Host } from './host.ts'
import type { Streams } from './standard-streams.ts'
import { hasUnquotable, quoteForShell, quoteForWindows } from './text/quote.ts'

/** Creates the streams of a host. Their stderr renders the commands of this program in the way that a person has to type them here. */
export function toTypingStreams(name: string, host: Pick<Host, 'streams' | 'argv' | 'platform'>): Streams {
  const { streams } = host
  const stderr = (text: string) => streams.stderr(toTypedCommands(text, name, host))
  return { ...streams, stderr }
}

/**
 * Renders the commands of this program in a text in the way that a person has to type them. Neither archives nor the installer put a
 * program on the PATH, so an executable that was started by a path is named by it, quoted for the shell of this system.
 * @param argv The arguments of this program itself.
 */
export function toTypedCommands(
  text: string,
  name: string,
  { argv, platform }: Pick<Host, 'argv' | 'platform'>,
): string {
  const words = text.includes(name) ? findTypedWords(argv) : undefined
  const system = platform === 'win32' ? 'windows' : 'posix'
  if (!words || hasUnquotable(words, system)) return text
  return withTypedName(text, name, system === 'windows' ? quoteForWindows(words) : quoteForShell(words))
}

/**
 * Replaces a command by the words that a person types. In a hint, the command follows a colon or "see"; a hint begins with "hint:" on
 * stderr, and with an arrow in an answer. In a help, the command follows "All options:" or is a line of its own, indented by two blanks.
 */
export function withTypedName(text: string, name: string, typed: string): string {
  const spell = (part: string) => part.replaceAll(new RegExp(`(?<=: |see )${name}(?= [a-z-])`, 'g'), () => typed)
  return text
    .replaceAll(/(?<=^[\w-]+: hint: | → ).*/gm, (hint) => spell(`: ${hint}`).slice(2))
    .replaceAll(new RegExp(`(?<=^  |^All [a-z ]+: )${name}(?= )`, 'gm'), () => typed)
}
