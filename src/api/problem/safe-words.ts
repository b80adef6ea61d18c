import { oneLine } from '../../runtime/failure.ts'
import { hideSecrets } from '../../runtime/hide-secrets.ts'

/** The longest that a server's own words are repeated, in characters. */
const longestWords = 300

/**
 * What a server says, fit for a terminal and a support ticket: on one line, without what steers a terminal or turns the
 * direction of writing, without what it was sent, and not longer than a person reads.
 */
export function safeWords(text: string, secrets: readonly string[]): string {
  const words = hideSecrets(oneLine(text.replace(/\p{Cf}/gu, '')), secrets)
  return words.length > longestWords ? `${words.slice(0, longestWords)}…` : words
}

/** A code or an identifier of a server's making; `undefined` for what does not look like one, or repeats what was sent. */
export function safeCode(text: unknown, secrets: readonly string[]): string | undefined {
  if (typeof text !== 'string' || !/^[\w.:-]{1,64}$/.test(text)) return undefined
  return hideSecrets(text, secrets) === text ? text : undefined
}
