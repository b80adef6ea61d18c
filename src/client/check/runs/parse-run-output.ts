import { findHeaderProblem } from '../../../contract/client-headers.ts'
import type { ClientFormat } from '../../../contract/clients/client.ts'
import { type HelperOutput, parseOutput } from '../../../contract/output.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { parseTokenFacts } from '../../../runtime/tokens/token-facts.ts'
import { type OtherFormat, parseClientOutput } from '../../output/parse-client-output.ts'
import type { OutputFacts } from './run.ts'
import { parseStatedEnd } from './stated-end.ts'
import { detectTokenFault } from './token-fault.ts'

/**
 * Parses stdout as a client does, and what a client leaves out; of an output that cannot be read it also finds out why, if
 * that is common. `printedAt` is in epoch milliseconds.
 */
export function parseRunOutput(
  stdout: Uint8Array,
  env: Environment,
  printedAt: number,
  format: ClientFormat = 'json',
): ParsedRun {
  if (format !== 'json') return parseForClient(stdout, env, format)
  const bytes = stdout.length
  const parsed = parseOutput(stdout)
  if (!parsed.ok) {
    const { reason, message } = parsed
    const obstacle = findObstacle(stdout)
    return { facts: { bytes, ok: false, reason, message, ...(obstacle && { obstacle }) } }
  }
  const { output, warnings } = parsed
  const object = parseObject(stdout)
  const facts = {
    token: parseTokenFacts(output.token, env),
    fault: detectTokenFault(output.token),
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

function parseForClient(stdout: Uint8Array, env: Environment, format: OtherFormat): ParsedRun {
  const bytes = stdout.length
  const read = parseClientOutput(stdout, format)
  if (!read.ok) return { facts: { bytes, ok: false, reason: 'other-format', message: read.message } }
  const { token, headers, end } = read
  const facts = {
    token: parseTokenFacts(token, env),
    fault: detectTokenFault(token),
    statedEnd: end,
    // Of AWS keys these are secrets, not headers.
    headers: format === 'credential-process' ? [] : Object.keys(headers),
    warnings: [],
  }
  return { output: { token, headers }, facts: { bytes, ok: true, ...facts } }
}

/** The object that an output is, which a client has been able to read; empty for a bare token. */
function parseObject(stdout: Uint8Array): Readonly<Record<string, unknown>> {
  const text = Buffer.from(stdout)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trim()
  const start = text.search(/^\{/m)
  return start < 0 ? {} : JSON.parse(text.slice(start))
}

/** Names of headers whose values are no texts; a name that cannot be sent is not repeated. */
function listDroppedHeaders({ headers }: Readonly<Record<string, unknown>>): string[] {
  const dropped = Object.entries(headers ?? {}).filter(([, value]) => typeof value !== 'string')
  return dropped.map(([name]) => (findHeaderProblem(name, '') === undefined ? name : 'one that cannot be sent'))
}

function findObstacle(stdout: Uint8Array): 'utf-16' | 'text-after-json' | undefined {
  const [first, second] = stdout
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'utf-16'
  if (stdout.length > maxSearchedBytes) return undefined
  return hasTextAfterJson(Buffer.from(stdout).toString('utf8')) ? 'text-after-json' : undefined
}

/** Longer outputs are not searched for text after the document. */
const maxSearchedBytes = 256 * 1024

/** Whether a client could read the text if an earlier line were its last. */
function hasTextAfterJson(text: string): boolean {
  const lines = text.trimEnd().split('\n')
  const start = lines.findIndex((line) => line.startsWith('{'))
  if (start < 0) return false
  return lines.some((line, end) => {
    if (end < start || end === lines.length - 1 || !line.trimEnd().endsWith('}')) return false
    return parseOutput(Buffer.from(lines.slice(start, end + 1).join('\n'))).ok
  })
}
