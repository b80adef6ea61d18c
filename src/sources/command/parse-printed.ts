import { HelperError } from '../../runtime/failure.ts'
import { parseJson } from '../../runtime/values/json-value.ts'
import { requireTokenText } from '../token-members.ts'
import type { CommandSettings } from './command-options.ts'
import { findByPointer } from './json-pointer.ts'
import { type Printed, type PrintedEnd, parseEnd, parseExecCredential, parseTokenDocument } from './token-documents.ts'

/** The settings by which a program's output is parsed, with its name and hint for messages. */
export interface PrintedFormat {
  /** The program's name in messages. */
  readonly name: string
  readonly settings: Pick<CommandSettings, 'output' | 'token-pointer' | 'expiry-pointer'>
  /** The hint for output that holds AWS keys instead of a token, imperative. */
  readonly awsKeysHint: string
}

/**
 * Parses the token in a program's output.
 * @param text Not empty.
 * @throws {HelperError} `not-configured` that names the setting for this output. The message does not repeat the output.
 */
export function parsePrinted(text: string, format: PrintedFormat): Printed {
  const { output, 'token-pointer': pointer } = format.settings
  const isDocument = pointer !== undefined || output === 'json' || output === 'exec-credential'
  if (isDocument || (output === 'auto' && /^\s*[{[]/.test(text))) return parseDocument(text, format)
  return parseText(text, format)
}

function parseDocument(text: string, format: PrintedFormat): Printed {
  const { name, settings, awsKeysHint } = format
  const document = parseJson(text)
  if (document === undefined)
    throw new HelperError(
      'not-configured',
      `${name} printed a text that is not JSON`,
      'have it print one JSON document and nothing else',
    )
  const { output, 'token-pointer': pointer, 'expiry-pointer': expiryPointer } = settings
  if (pointer === undefined) {
    if (output === 'exec-credential' || isExecCredential(document)) return parseExecCredential(document, name)
    const parsed = parseTokenDocument(document, { name, awsKeysHint })
    return expiryPointer === undefined ? parsed : { ...parsed, end: parsePointedEnd(document, expiryPointer, name) }
  }
  const value = findByPointer(document, pointer)
  if (typeof value !== 'string')
    throw new HelperError(
      'not-configured',
      `${name} printed JSON without a string at ${pointer}`,
      'correct token-pointer: it names the members from the outside in, each behind a slash',
    )
  return {
    token: requireTokenText(value, { name: `the text at ${pointer} of what ${name} printed`, verb: 'have it print' }),
    end: expiryPointer === undefined ? undefined : parsePointedEnd(document, expiryPointer, name),
    shape: `JSON with the token at ${pointer}`,
  }
}

function parseText(
  text: string,
  { name, settings: { output, 'expiry-pointer': expiryPointer } }: PrintedFormat,
): Printed {
  if (expiryPointer !== undefined)
    throw new HelperError(
      'not-configured',
      `${name} did not print JSON, which expiry-pointer needs`,
      'remove expiry-pointer, or have the program print JSON',
    )
  const lines = text.trim().split(/\r?\n|\r/)
  const [first = ''] = lines
  if (lines.length > 1 && output !== 'first-line')
    throw new HelperError(
      'not-configured',
      `${name} printed ${lines.length} lines, but a token is one line`,
      'set output to first-line if the first line is the token, or have it print the token and nothing else',
    )
  const bare = stripQuotes(first.replace(/^bearer\s+/i, ''))
  const token = requireTokenText(bare, { name: `what ${name} printed`, verb: 'have it print' })
  return { token, end: undefined, shape: lines.length > 1 ? 'a text whose first line is the token' : 'a bare token' }
}

/** Removes the quotes of a JSON string, with which programs print a value that was selected from JSON. */
function stripQuotes(text: string): string {
  return /^"[^"\\]*"$/.test(text) ? text.slice(1, -1) : text
}

function isExecCredential(document: unknown): boolean {
  return findByPointer(document, '/kind') === 'ExecCredential'
}

/**
 * Parses the expiry at the configured pointer. A missing value is a mistake, because a person has named it; `null` means that the
 * token does not expire.
 */
function parsePointedEnd(document: unknown, pointer: string, name: string): PrintedEnd | undefined {
  const value = findByPointer(document, pointer)
  const end = value === undefined ? 'unclear' : parseEnd(value)
  if (end !== 'unclear') return end === 'none' ? undefined : end
  throw new HelperError(
    'not-configured',
    `${name} printed JSON with no date at ${pointer}`,
    'correct expiry-pointer: there has to be a date with its zone, seconds or milliseconds since 1970, or seconds from now',
  )
}
