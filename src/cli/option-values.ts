import { InvalidArgumentError } from 'commander'

/** Adds a text, for an option that may be repeated: commander would take every word after an option of several values. */
export function addText(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text]
}

/**
 * Parses a whole number.
 * @throws {InvalidArgumentError}
 */
export function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number of at most nine digits.')
}
