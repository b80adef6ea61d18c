// Checks the token and the headers in the output of any source.

import { validateHeaderSet } from '../contract/client-headers.ts'
import { type Headers, isCredentialWord } from '../contract/headers.ts'
import { HelperError } from '../runtime/failure.ts'

/** The words by which messages name the location of a token. */
export interface TokenLocation {
  /** For messages, such as `the secret "ai/key"`. */
  readonly name: string
  /** The imperative in hints for replacing the text, such as `store`. */
  readonly verb: string
}

/**
 * Removes spaces and line breaks around a token.
 * @throws {HelperError} `not-configured` for a text that is empty or cannot be a token; the message repeats nothing of it.
 */
export function requireTokenText(text: string, { name, verb }: TokenLocation): string {
  const token = text.trim()
  if (token === '') throw new HelperError('not-configured', `${name} is empty`, `${verb} the token there`)
  if (isCredentialWord(token)) return token
  throw new HelperError(
    'not-configured',
    `${name} has spaces, line breaks or characters beyond ASCII, which no token has`,
    `${verb} the token and nothing else`,
  )
}

/**
 * Parses the headers beside a token; `undefined` if there are none.
 * @throws {HelperError} `not-configured` for headers that no client could send.
 */
export function parseTokenHeaders(value: unknown, { name, verb }: TokenLocation): Headers | undefined {
  if (value === undefined || value === null) return undefined
  const pairs = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined
  if (!pairs?.every((pair): pair is [string, string] => typeof pair[1] === 'string'))
    throw new HelperError(
      'not-configured',
      `"headers" of ${name} is not an object of strings`,
      `${verb} each header as "Name": "value"`,
    )
  const problems = validateHeaderSet(pairs)
  if (problems.length === 0) return Object.fromEntries(pairs)
  throw new HelperError(
    'not-configured',
    `"headers" of ${name}: ${problems.join('; ')}`,
    `${verb} headers that a client can send`,
  )
}
