import type { Observation } from '../../helper/diagnosis.ts'
import { HelperError } from '../../runtime/failure.ts'
import { parseJwt } from '../../runtime/tokens/jwt.ts'
import { describeMoment } from '../describe-moment.ts'
import { describeWords } from '../program/describe-words.ts'
import { readOutput } from '../program/read-output.ts'
import type { ProgramRun } from '../program/run-program.ts'
import { type CommandCall, type CommandHost, findEnd, runCommand, toHints } from './mint.ts'
import { parsePrinted } from './parse-printed.ts'
import type { CommandPlan } from './plan.ts'

/** Runs the program once more, and says what was run, how it ended, what it said and what its output is; never the output. */
export async function diagnoseCommand(
  host: CommandHost,
  call: CommandCall,
  plan: CommandPlan,
): Promise<readonly Observation[]> {
  const format = {
    name: plan.program.name,
    settings: plan.settings,
    awsKeysHint: 'name a program that prints a bearer token',
  }
  const begin = host.clock.elapsedMs()
  const now = host.clock.now()
  try {
    const run = await runCommand(host, call, plan, format)
    const ran = describeRun(run, host.clock.elapsedMs() - begin)
    return [ran, await observe(() => describeOutput(run))]
  } catch (error) {
    return [toBad(error)]
  }

  async function describeOutput(run: ProgramRun): Promise<Observation> {
    const printed = parsePrinted(await readOutput(run, toHints(plan)), format)
    const jwt = parseJwt(printed.token)
    const expiresAt = findEnd(printed, jwt?.claims.exp, now, plan.settings.life)
    const text = `it printed ${printed.shape}${jwt ? '; the token is a JWT' : ''}`
    if (expiresAt) return { status: 'good', text, details: [`it ends at ${describeMoment(expiresAt.getTime(), now)}`] }
    return {
      status: 'note',
      text,
      details: ['nothing says when it ends, so that it is not kept and each call runs the program'],
      hint: 'say it with expiry-pointer or life, if it is known',
    }
  }
}

function describeRun(run: ProgramRun, ms: number): Observation {
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
    // What follows from it, with what to do, is the next observation.
    status: outcome.ended === 'exited' && outcome.status === 0 ? 'good' : 'note',
    text: `${found.file}, ${found.place}, ${ends[outcome.ended]} after ${Math.round(ms)} ms${size}`,
    details: [words === '' ? 'it said nothing on stderr' : `it said: ${words}`],
  }
}

async function observe(work: () => Promise<Observation>): Promise<Observation> {
  try {
    return await work()
  } catch (error) {
    return toBad(error)
  }
}

function toBad(error: unknown): Observation {
  if (error instanceof HelperError) return { status: 'bad', text: error.message, hint: error.hint }
  throw error
}
