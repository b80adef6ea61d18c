import type { HelperClient } from '../../../contract/client.ts'
import { validateHeader } from '../../../contract/client-headers.ts'
import { isOfAwsKeys } from '../../../contract/formats/output-format.ts'
import { type HelperOutput, parseOutput } from '../../../contract/output.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { parseJwt } from '../../../runtime/tokens/jwt.ts'
import { parseTokenFacts } from '../../../runtime/tokens/token-facts.ts'
import { parseJsonText } from '../../../runtime/values/json-text.ts'
import { type OtherFormat, parseClientOutput } from '../../launch/parse-client-output.ts'
import type { OutputFacts, TokenClaims } from './run.ts'
import { parseStatedEnd } from './stated-end.ts'
import { detectTokenFault } from './token-fault.ts'

/**
 * Parses stdout as a client does, and also the parts that a client leaves out. For an output that cannot be read, it finds the
 * cause if that is a common one. `printedAt` is in epoch milliseconds.
 */
export function parseRunOutput(
  stdout: Uint8Array,
  env: Environment,
  printedAt: number,
  client: ReadingClient = { format: 'json' },
): ParsedRun {
  const { format } = client
  if (format !== 'json') return parseForClient(stdout, env, format, client)
  const bytes = stdout.length
  const parsed = parseOutput(stdout)
  if (!parsed.ok) {
    const { reason, message } = parsed
    const obstacle = findObstacle(stdout)
    return { facts: { bytes, ok: false, reason, message, ...(obstacle && { obstacle }) } }
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

interface ParsedRun {
  readonly facts: OutputFacts
  readonly output?: HelperOutput
}

/** The properties of a client that decide how it reads an output. */
type ReadingClient = Pick<HelperClient, 'format' | 'reservedHeaders' | 'stdoutBytes'>

function parseForClient(stdout: Uint8Array, env: Environment, format: OtherFormat, client: ReadingClient): ParsedRun {
  const bytes = stdout.length
  const read = parseClientOutput(stdout, format, client)
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

/** `undefined` if the token is not a JWT. */
function parseTokenClaims(token: string): TokenClaims | undefined {
  const jwt = parseJwt(token)
  if (!jwt) return undefined
  const { sub, aud } = jwt.claims
  const audiences = Array.isArray(aud) ? aud.map(String).sort().join(' ') : aud
  return { ...(sub !== undefined && { sub: String(sub) }), ...(aud !== undefined && { aud: String(audiences) }) }
}

/** Parses the JSON object of an output that a client can read, and its keys that are not unique; empty for a bare token. */
function parseObject(stdout: Uint8Array): {
  readonly object: Readonly<Record<string, unknown>>
  readonly repeatedKeys: readonly string[]
} {
  const text = Buffer.from(stdout)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim()
  const start = text.search(/^\{/m)
  if (start < 0) return { object: {}, repeatedKeys: [] }
  const parsed = parseJsonText(text.slice(start))
  const oddKeys = 'oddKeys' in parsed ? parsed.oddKeys : []
  const repeated = oddKeys.filter(({ problem }) => problem === 'duplicate').map(({ path }) => path)
  return { object: JSON.parse(text.slice(start)), repeatedKeys: [...new Set(repeated)] }
}

/** Lists the names of headers whose values are not texts; a name that cannot be sent is not repeated. */
function listDroppedHeaders({ headers }: Readonly<Record<string, unknown>>): string[] {
  const dropped = Object.entries(headers ?? {}).filter(([, value]) => typeof value !== 'string')
  return dropped.map(([name]) => (validateHeader(name, '') === undefined ? name : 'one that cannot be sent'))
}

function findObstacle(stdout: Uint8Array): 'utf-16' | 'text-after-json' | undefined {
  const [first, second] = stdout
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16'
  if (stdout.length > maxSearchedBytes) return undefined
  return hasTextAfterJson(Buffer.from(stdout).toString('utf8')) ? 'text-after-json' : undefined
}

/** Longer outputs are not searched for text after the document. */
const maxSearchedBytes = 256 * 1024

/** How many lines are tried as the document's last one: each try parses all lines before it. */
const maxTriedEnds = 100

/** Whether a client could read the text if an earlier line were its last. */
function hasTextAfterJson(text: string): boolean {
  const lines = text.trimEnd().split('\n')
  const start = lines.findIndex((line) => line.startsWith('{'))
  if (start < 0) return false
  const ends = lines.keys().filter((at) => at >= start && at < lines.length - 1 && lines[at]?.trimEnd().endsWith('}'))
  return ends.take(maxTriedEnds).some((end) => parseOutput(Buffer.from(lines.slice(start, end + 1).join('\n'))).ok)
}
