import { findHeaderProblems } from '../contract/client-headers.ts'
import type { Headers } from '../contract/headers.ts'
import { HelperError } from '../runtime/failure.ts'

/** Where a token was found. */
export interface TokenPlace {
  /** In words, such as `the secret "ai/key"`. */
  readonly name: string
  /** What puts another text there, imperative, such as `store`. */
  readonly verb: string
}

/**
 * A token without spaces and line breaks around it.
 * @throws {HelperError} `not-configured` for an empty text, or one that no token is; the message repeats nothing of it.
 */
export function requireTokenText(text: string, { name, verb }: TokenPlace): string {
  const token = text.trim()
  if (token === '') throw refuse(`${name} is empty`, `${verb} the token there`)
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw refuse(
    `${name} has spaces, line breaks or characters beyond ASCII, which no token has`,
    `${verb} the token and nothing else`,
  )
}

/**
 * The headers that stand beside a token; `undefined` where there are none.
 * @throws {HelperError} `not-configured` for what no client could send.
 */
export function parseTokenHeaders(value: unknown, { name, verb }: TokenPlace): Headers | undefined {
  if (value === undefined || value === null) return undefined
  const pairs = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined
  if (!pairs?.every((pair): pair is [string, string] => typeof pair[1] === 'string'))
    throw refuse(`"headers" of ${name} is no object of texts`, `${verb} each header as "Name": "value"`)
  const problems = findHeaderProblems(pairs)
  if (problems.length === 0) return Object.fromEntries(pairs)
  throw refuse(`"headers" of ${name}: ${problems.join('; ')}`, `${verb} headers that a client can send`)
}

function refuse(message: string, hint: string): HelperError {
  return new HelperError('not-configured', message, hint)
}
