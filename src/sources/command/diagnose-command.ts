import type { DiagnosisLine } from '../../helper/diagnosis.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import { observeAttempt } from '../observe-attempt.ts'
import { describeWords } from '../program/describe-words.ts'
import { readOutput } from '../program/read-output.ts'
import type { ProgramRun } from '../program/run-program.ts'
import {
  type CommandHost,
  computeExpiry,
  keysHint,
  runCommand,
  type TokenCommandCall,
  toHints,
} from './mint-command-token.ts'
import { type PrintedFormat, parsePrinted } from './parse-printed.ts'
import type { CommandPlan } from './plan-command.ts'

/**
 * Runs the program again, and describes what was run, how it ended, what it wrote to stderr and the shape of its output, but never the
 * output itself.
 */
export async function diagnoseCommand(
  host: CommandHost,
  call: TokenCommandCall,
  plan: CommandPlan,
): Promise<readonly DiagnosisLine[]> {
  const format = { name: plan.program.name, settings: plan.settings, awsKeysHint: keysHint }
  const begin = host.clock.elapsedMs()
  const now = host.clock.now()
  return observeAttempt(async () => {
    const run = await runCommand(host, call, plan, format)
    const ran = describeRun(run, host.clock.elapsedMs() - begin)
    return [ran, ...(await observeAttempt(async () => [await describeOutput(run, plan, { format, now })]))]
  })
}

function describeRun(run: ProgramRun, ms: number): DiagnosisLine {
  const { outcome, found } = run
  const words = describeWords(run)
  const ends = {
    'not-started': 'could not be started',
    flooded: 'printed too much and was ended',
    killed: 'was killed',
    exited: `ended with exit status ${'status' in outcome ? outcome.status : 0}`,
  } as const
  const size = outcome.ended === 'exited' ? `, with ${outcome.stdout.length} bytes on stdout` : ''
  return {
    // The next line says what that means and what to do.
    status: outcome.ended === 'exited' && outcome.status === 0 ? 'good' : 'note',
    text: `${found.file}, ${found.location}, ${ends[outcome.ended]} after ${Math.round(ms)} ms${size}`,
    details: [words === '' ? 'it said nothing on stderr' : `it said: ${words}`],
  }
}

async function describeOutput(
  run: ProgramRun,
  plan: CommandPlan,
  { format, now }: { readonly format: PrintedFormat; readonly now: number },
): Promise<DiagnosisLine> {
  const printed = parsePrinted(await readOutput(run, toHints(plan)), format)
  const jwt = parseJwt(printed.token)
  const expiresAt = computeExpiry(printed, jwt?.claims.exp, now, plan.settings.life)
  const text = `it printed ${printed.shape}${jwt ? '; the token is a JWT' : ''}`
  if (expiresAt) return { status: 'good', text, details: [`it ends at ${describeMoment(expiresAt.getTime(), now)}`] }
  return {
    status: 'note',
    text,
    details: ['it is not known when it ends, so it is not cached and each call runs the program'],
    hint: 'set expiry-pointer or life, if you know when it ends',
  }
}
