import { type HelperOutput, parseOutput } from '../../../contract/output.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { parseTokenFacts } from '../../token/token-facts.ts'
import type { OutputFacts } from './run.ts'

/** Reads stdout as a client does, and says what stands between a reader and an output that is there. */
export function readOutput(
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
  if (stdout.length > longestSearched) return undefined
  return hasTextAfterJson(Buffer.from(stdout).toString('utf8')) ? 'text-after-json' : undefined
}

/** Beyond this nobody wonders what the lines after the document are. */
const longestSearched = 256 * 1024

/** Whether a client could read the text if it ended at an earlier line. */
function hasTextAfterJson(text: string): boolean {
  const lines = text.trimEnd().split('\n')
  const start = lines.findIndex((line) => line.startsWith('{'))
  if (start < 0) return false
  return lines.some((line, end) => {
    if (end < start || end === lines.length - 1 || !line.trimEnd().endsWith('}')) return false
    return parseOutput(Buffer.from(lines.slice(start, end + 1).join('\n'))).ok
  })
}
