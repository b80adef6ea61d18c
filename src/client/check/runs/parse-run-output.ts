import { type HelperOutput, parseOutput } from '../../../contract/output.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { parseTokenFacts } from '../../token/token-facts.ts'
import type { OutputFacts } from './run.ts'

/** Parses stdout as a client does; of an output that cannot be read it also finds out why, if that is common. */
export function parseRunOutput(
  stdout: Uint8Array,
  env: Environment,
): { readonly facts: OutputFacts; readonly output?: HelperOutput } {
  const bytes = stdout.length
  const parsed = parseOutput(stdout)
  if (!parsed.ok) {
    const { reason, message } = parsed
    const obstacle = findObstacle(stdout)
    return { facts: { bytes, ok: false, reason, message, ...(obstacle && { obstacle }) } }
  }
  const { output, warnings } = parsed
  const token = parseTokenFacts(output.token, env)
  return { output, facts: { bytes, ok: true, token, headers: Object.keys(output.headers), warnings } }
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
