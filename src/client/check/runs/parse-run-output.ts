import type { HelperClient } from '../../../contract/client.ts'
import { validateHeader } from '../../../contract/client-headers.ts'
import { isSendableValue } from '../../../contract/headers.ts'
import { type HelperOutput, type OutputReason, type OutputWarning, parseOutput } from '../../../contract/output.ts'
import { isOfAwsKeys } from '../../../contract/output-format.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import { parseTokenFacts, type TokenFacts } from '../../../runtime/tokens/token-facts.ts'
import { parseJsonText } from '../../../runtime/values/json-text.ts'
import { type OtherFormat, parseClientOutput } from '../../launch/client-formats.ts'

/**
 * Parses stdout as a client does, including the parts that a client ignores. For an unreadable output, it finds common causes.
 * @param printedAt In epoch milliseconds.
 */
export function parseRunOutput(
  stdout: Uint8Array,
  env: Environment,
  printedAt: number,
  client: ReadingClient,
): ParsedRun {
  const { format } = client
  if (format !== 'json') return parseForClient(stdout, { env, printedAt, format }, client)
  const bytes = stdout.length
  const parsed = parseOutput(stdout)
  if (!parsed.ok) {
    const { reason, message } = parsed
    return { facts: { bytes, ok: false, reason, message, obstacle: findObstacle(stdout) } }
  }
  const { output, warnings } = parsed
  const { object, repeatedKeys } = parseObject(stdout)
  const facts = {
    token: parseTokenFacts(output.token, env),
    fault: detectTokenFault(output.token),
    claims: parseTokenClaims(output.token),
    repeatedKeys,
    statedEnd: parseStatedEnd(object, printedAt),
    headers: Object.keys(output.headers),
    droppedHeaders: listDroppedHeaders(object),
    warnings,
  }
  return { output, facts: { bytes, ok: true, ...facts } }
}

/** The facts about a helper's stdout, without its content. */
export type OutputFacts = { readonly bytes: number } & (
  | {
      readonly ok: true
      readonly token: TokenFacts
      /** The reason why the token certainly is not a token. */
      readonly fault?: TokenFault | undefined
      /** The end that the output states besides the token. */
      readonly statedEnd?: StatedEnd | undefined
      /** The subject and the audience of the token, if it is a JWT. */
      readonly claims?: TokenClaims | undefined
      /** Repeated keys in its JSON object, such as `headers.X-Team`. */
      readonly repeatedKeys?: readonly string[]
      readonly headers: readonly string[]
      /** The headers that a client drops, because their values are not texts. */
      readonly droppedHeaders?: readonly string[]
      readonly warnings: readonly OutputWarning[]
    }
  | {
      readonly ok: false
      readonly reason: OutputReason
      readonly message: string
      /** Why an output that is not empty is unreadable. */
      readonly obstacle?: 'utf-16' | 'text-after-json' | undefined
    }
)

/** The claims to which a gateway attributes a request (RFC 7519, section 4.1), as texts; absent claims are omitted. */
export interface TokenClaims {
  readonly sub?: string
  readonly aud?: string
}

interface ParsedRun {
  readonly facts: OutputFacts
  readonly output?: HelperOutput
}

/** The properties of a client that determine how it reads an output. */
type ReadingClient = Pick<HelperClient, 'format' | 'reservedHeaders' | 'stdoutBytes'>

function parseForClient(
  stdout: Uint8Array,
  run: { readonly env: Environment; readonly printedAt: number; readonly format: OtherFormat },
  client: ReadingClient,
): ParsedRun {
  const { env, printedAt, format } = run
  const bytes = stdout.length
  const read = parseClientOutput(stdout, format, printedAt, client)
  if (!read.ok) return { facts: { bytes, ok: false, reason: 'other-format', message: read.message } }
  const { token, headers, end } = read
  const facts = {
    token: parseTokenFacts(token, env),
    fault: detectTokenFault(token),
    statedEnd: end,
    // With AWS keys, these are secrets, not headers.
    headers: isOfAwsKeys(format) ? [] : Object.keys(headers),
    warnings: [],
  }
  return { output: { token, headers }, facts: { bytes, ok: true, ...facts } }
}

function findObstacle(stdout: Uint8Array): 'utf-16' | 'text-after-json' | undefined {
  const [first, second] = stdout
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16'
  if (stdout.length > maxSearchedBytes) return undefined
  return hasTextAfterJson(Buffer.from(stdout).toString('utf8')) ? 'text-after-json' : undefined
}

/** Longer outputs are not searched for text after the document. */
const maxSearchedBytes = 256 * 1024

/** How many lines are tried as the document's last line, because each attempt parses all lines before it. */
const maxTriedEnds = 100

/** Parses the JSON object of a readable output, and its repeated keys; empty for a bare token. */
function parseObject(stdout: Uint8Array): {
  readonly object: Readonly<Record<string, unknown>>
  readonly repeatedKeys: readonly string[]
} {
  const text = Buffer.from(stdout).toString('utf8').trim()
  const start = text.search(/^\{/m)
  if (start < 0) return { object: {}, repeatedKeys: [] }
  const parsed = parseJsonText(text.slice(start))
  const oddKeys = 'oddKeys' in parsed ? parsed.oddKeys : []
  const repeated = oddKeys.filter(({ problem }) => problem === 'duplicate').map(({ path }) => path)
  return { object: JSON.parse(text.slice(start)), repeatedKeys: [...new Set(repeated)] }
}

/** Parses the claims that name its owner; `undefined` if the token is not a JWT. */
function parseTokenClaims(token: string): TokenClaims | undefined {
  const jwt = parseJwt(token)
  if (!jwt) return undefined
  const { sub, aud } = jwt.claims
  const audiences = Array.isArray(aud) ? aud.map(String).sort().join(' ') : aud
  return { ...(sub !== undefined && { sub: String(sub) }), ...(aud !== undefined && { aud: String(audiences) }) }
}

/** Returns whether a client could read the text if it ended at an earlier line. */
function hasTextAfterJson(text: string): boolean {
  const lines = text.trimEnd().split('\n')
  const start = lines.findIndex((line) => line.startsWith('{'))
  if (start < 0) return false
  const ends = lines.keys().filter((at) => at >= start && at < lines.length - 1 && lines[at]?.trimEnd().endsWith('}'))
  return ends.take(maxTriedEnds).some((end) => parseOutput(Buffer.from(lines.slice(start, end + 1).join('\n'))).ok)
}

/** The end of a token that a helper's output states besides the token. No client reads it. */
export interface StatedEnd {
  /** Such as `expires_in in its output`. */
  readonly source: string
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * Parses the first stated end in an output.
 * @param printedAt In epoch milliseconds.
 */
function parseStatedEnd(output: Readonly<Record<string, unknown>>, printedAt: number): StatedEnd | undefined {
  for (const [key, value] of Object.entries(output)) {
    const at = endParsers[key.replace(/[-_]/g, '').toLowerCase()]?.(value, printedAt)
    if (at !== undefined) return { source: `${key} in its output`, at }
  }
  return undefined
}

type ParseEnd = (value: unknown, printedAt: number) => number | undefined

const parseTime: ParseEnd = (value) => {
  const number = parseNumber(value)
  if (number === undefined) return typeof value === 'string' ? acceptAtLeast(0, Date.parse(value)) : undefined
  return number >= 1e12 ? number : acceptAtLeast(1e9 * 1000, number * 1000) // smaller numbers are in seconds, if they are a time of this century
}

/** Parsers of ends by key, in lower case and without `_` and `-`. */
const endParsers: Readonly<Record<string, ParseEnd | undefined>> = {
  expiresin: (value, printedAt) => {
    const seconds = acceptAtLeast(0, parseNumber(value))
    return seconds === undefined ? undefined : printedAt + seconds * 1000
  },
  expiresat: parseTime,
  expiration: parseTime,
}

/** Lists the headers whose values are not texts; a name that cannot be sent is not repeated. */
function listDroppedHeaders({ headers }: Readonly<Record<string, unknown>>): string[] {
  const dropped = Object.entries(headers ?? {}).filter(([, value]) => typeof value !== 'string')
  return dropped.map(([name]) => (validateHeader(name, '') === undefined ? name : 'one that cannot be sent'))
}

function parseNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

function acceptAtLeast(least: number, value: number | undefined): number | undefined {
  return value !== undefined && value >= least ? value : undefined
}

/** Reasons why a token certainly is not a token, although a client accepts it. */
export const tokenFaults = {
  scheme: {
    seen: 'the word "Bearer" stands before the token, and the client adds its own',
    hint: 'print the token alone, without "Bearer" before it',
  },
  'no-value': {
    seen: 'the token is a word such as null, None or undefined, which a program prints for a missing value',
    hint: 'find where the value is lost; without a token print nothing on stdout and end with another exit status than 0',
  },
  markup: {
    seen: 'the token begins with "<", as a page of a proxy or of a sign-in service does',
    hint: 'check the status and the type of the answer before you take a token from it',
  },
  json: {
    seen: 'the token is a JSON text, array or number',
    hint: 'print the token itself, such as with jq -r, or an object: {"token": "…"}',
  },
  sentence: {
    seen: 'the token has spaces in it, so it is a sentence, which a client would send',
    hint: 'on failure print nothing on stdout and end with another exit status than 0',
  },
  unsendable: {
    seen: 'the token has a character that no header can carry, such as a dash of a word processor or a colour of a terminal',
    hint: 'copy the token from where it was made, and not through a document or a chat',
  },
} as const

/** The name of one of the {@link tokenFaults}. */
type TokenFault = keyof typeof tokenFaults

/** Detects the reason why a token is not a token; `undefined` if it may be one. */
function detectTokenFault(token: string): TokenFault | undefined {
  if (/^(authorization\s*:\s*)?bearer(\s|$)/i.test(token)) return 'scheme'
  if (/^(null|undefined|none|nil|nan|true|false|\(null\)|\[object Object\])$/i.test(token)) return 'no-value'
  if (token.startsWith('<')) return 'markup'
  if (/^".*"$|^\[.*\]$|^-?\d+(\.\d+)?$/.test(token)) return 'json'
  if (/\s/.test(token)) return 'sentence'
  return isSendableValue(token) ? undefined : 'unsendable'
}
