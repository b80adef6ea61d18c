import { validateHeaderSet } from './client-headers.ts'
import { type AllowableHeader, allowableHeaders, type Headers } from './headers.ts'
import { limits } from './limits.ts'

/**
 * The output of a helper for the client. The token is in plain text, because this module is the boundary of the process; everywhere else
 * both sides use a `Secret`.
 */
export interface HelperOutput {
  readonly token: string
  readonly headers: Headers
}

/** Why a client refuses a helper's output although the exit status is 0. */
export const outputReasons = {
  'too-large': 'stdout holds more than a client reads',
  encoding: 'stdout is not UTF-8 text',
  empty: 'stdout is empty although the exit status is 0',
  unrecognized: 'stdout is neither one line nor one JSON object',
  'credential-process': 'stdout is an AWS credential_process document, which has no "token"',
  'no-token': 'the JSON object has no "token"',
  'invalid-token': 'the "token" is not one line of text within the size limit',
  'invalid-headers': '"headers" is neither an object nor null',
  'refused-header': 'a header cannot be sent',
  'other-format': 'stdout is not what this client reads',
} as const

/** See {@link outputReasons}. */
export type OutputReason = keyof typeof outputReasons

/** The rules of a client: what it accepts and reports. */
export type OutputWarning =
  | 'byte-order-mark'
  | 'text-before-json'
  | 'header-value-dropped'
  | 'token-with-spaces'
  /** A header that not every client sends; see {@link allowableHeaders}. */
  | AllowableHeader

/**
 * Parses a helper's stdout as the client does: one bare token, or one JSON object with `token` and `headers`. Never throws, and its
 * messages do not repeat the output.
 */
export function parseOutput(stdout: Uint8Array): ParsedOutput {
  if (stdout.length > limits.stdoutBytes) return reject('too-large')
  const decoded = decodeUtf8(stdout)
  if (decoded === undefined) return reject('encoding')
  const warnings: OutputWarning[] = decoded.startsWith('\uFEFF') ? ['byte-order-mark'] : []
  const text = decoded.trim()
  if (text === '') return reject('empty')
  const start = text.search(/^\{/m)
  if (start >= 0) return parseObject(text.slice(start), start > 0 ? [...warnings, 'text-before-json'] : warnings)
  if (/[\r\n]/.test(text)) return reject('unrecognized')
  if (!isTokenText(text)) return reject('invalid-token')
  return accept(text, {}, /\s/.test(text) ? [...warnings, 'token-with-spaces'] : warnings)
}

/** The result of reading stdout, for a client. */
type ParsedOutput =
  | { readonly ok: true; readonly output: HelperOutput; readonly warnings: readonly OutputWarning[] }
  | { readonly ok: false; readonly reason: OutputReason; readonly message: string }

function parseObject(text: string, warnings: readonly OutputWarning[]): ParsedOutput {
  const value = parseJson(text)
  if (value === undefined) return reject('unrecognized')
  if (!('token' in value)) return reject('AccessKeyId' in value ? 'credential-process' : 'no-token')
  const token = typeof value.token === 'string' ? value.token.trim() : undefined
  if (token === undefined || !isTokenText(token)) return reject('invalid-token')
  const headers = value.headers ?? {}
  if (typeof headers !== 'object' || Array.isArray(headers)) return reject('invalid-headers')
  const entries = Object.entries(headers)
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const unusual = allowableHeaders.filter((name) => texts.some(([given]) => given.toLowerCase() === name))
  const problem = validateHeaderSet(texts, unusual[0])[0]
  if (problem) return reject('refused-header', problem)
  const dropped = texts.length < entries.length ? (['header-value-dropped'] as const) : []
  return accept(token, Object.fromEntries(texts), [...warnings, ...dropped, ...unusual])
}

function isTokenText(text: string): boolean {
  return text !== '' && !/[\r\n\0]/.test(text) && Buffer.byteLength(text) <= limits.tokenBytes
}

/** Parses the object in `text`; `undefined` if it is not JSON. The caller has found its opening brace. */
function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // the parser's message would repeat the text, which may be a secret
  }
}

/** Decodes UTF-8, and keeps a byte-order mark; `undefined` for other bytes. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined // not UTF-8; the caller names the reason
  }
}

function accept(token: string, headers: Headers, warnings: readonly OutputWarning[]): ParsedOutput {
  return { ok: true, output: { token, headers }, warnings }
}

function reject(reason: OutputReason, detail?: string): ParsedOutput {
  return { ok: false, reason, message: detail ? `${outputReasons[reason]}: ${detail}` : outputReasons[reason] }
}
