import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { HelperError } from '../../runtime/failure.ts'
import { programCycleNotice, toCycleFailure } from './cycle.ts'
import { decodeText } from './decode-text.ts'
import { describeWords } from './describe-words.ts'
import { describeSearch } from './find-program.ts'
import type { ProgramRun } from './run-program.ts'

/** What a caller does about a program that failed. */
interface OutputHints {
  /** What to do, imperative. */
  readonly hint: string
  /** The failure where it said that somebody has to sign in; `undefined` where it did not. */
  readonly findSignIn?: (run: ProgramRun, message: string) => HelperError | undefined
}

/**
 * The text that a program printed.
 * @throws {HelperError} how it ended otherwise, with what it said, without secrets. Never its stdout or its arguments.
 */
export async function readOutput(run: ProgramRun, { hint, findSignIn }: OutputHints): Promise<string> {
  const { outcome, program } = run
  const { name } = program
  if (outcome.ended === 'not-started') throw await toStartFailure(run, outcome.code)
  if (outcome.ended === 'flooded')
    throw new HelperError('refused', `${name} printed more than 8 MiB, and was ended`, hint)
  if (outcome.stderr.includes(programCycleNotice)) throw toCycleFailure(program)
  const isGood = outcome.ended === 'exited' && outcome.status === 0
  const text = isGood ? decodeText(outcome.stdout) : ''
  if (text === undefined)
    throw new HelperError('refused', `${name} printed bytes that are no UTF-8 and no UTF-16 text`, hint)
  if (text.trim() !== '') return text
  const message = `${name} ${describeEnd(outcome)}${describeSaid(run)}`
  throw findSignIn?.(run, message) ?? toRefusal(run, message, hint)
}

function describeEnd(outcome: Exclude<ProgramRun['outcome'], { ended: 'not-started' | 'flooded' }>): string {
  if (outcome.ended === 'killed') return `was killed by ${outcome.by}`
  return outcome.status === 0 ? 'printed nothing' : `failed with exit status ${outcome.status}`
}

function describeSaid(run: ProgramRun): string {
  const words = describeWords(run)
  return words === '' ? '' : ` and said: ${words}`
}

/** The status of BSD's sysexits.h for a failure that passes, and for a service that is away. */
const briefStatuses: readonly number[] = [75, 69]

/** What programs say of a network or a service that is away: the words of the C library, of Go, of Python and of HTTP. */
const brief =
  /temporar(?:y|ily)|time(?:d)?[ -]?out|try again later|connection (?:refused|reset|aborted|error)|could not (?:resolve|connect)|no such host|name resolution|name or service not known|(?:network|host) is (?:down|unreachable)|no route to host|service unavailable|bad gateway|too many requests|\b(?:429|502|503|504)\b/i

function isBrief({ outcome }: ProgramRun): boolean {
  if (outcome.ended !== 'exited' || outcome.status === 0) return false
  return briefStatuses.includes(outcome.status) || brief.test(outcome.stderr)
}

function toRefusal(run: ProgramRun, message: string, hint: string): HelperError {
  const { outcome, found } = run
  if (isBrief(run)) return new HelperError('unavailable', message, `try again in a moment; ${hint}`)
  // The status of `env` and of shells that do not find a program.
  if (outcome.ended === 'exited' && outcome.status === 127)
    return new HelperError(
      'not-configured',
      message,
      found.place === "found on the login shell's PATH"
        ? hint
        : 'it misses a program that it runs: set path to the directories in which its programs are',
    )
  return new HelperError('refused', message, hint)
}

async function toStartFailure({ program: { name }, found: { file } }: ProgramRun, code: string): Promise<HelperError> {
  const message = `${name} cannot be started (${code})`
  const state = await findState(file)
  const hints: Readonly<Record<string, string>> = {
    EACCES: state?.isDirectory()
      ? 'it is a directory: write the path of the program in it'
      : `run: chmod u+x '${file}'`,
    ENOEXEC: 'name a program of this system; a script begins with a line such as #!/bin/sh',
    E2BIG: 'give it fewer or shorter arguments',
    // The system says the same of a script whose interpreter is missing.
    ENOENT: state
      ? 'its first line names a program that is not there: install that program, or correct the line'
      : describeSearch(name),
  }
  return new HelperError('not-configured', message, hints[code] ?? `look at it with: ls -ld '${file}'`)
}

/** `undefined` where nothing can be seen there. */
async function findState(file: string): Promise<Stats | undefined> {
  return stat(file).catch(() => undefined)
}
