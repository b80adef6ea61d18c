import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { HelperError } from '../../runtime/failure.ts'
import { findEffectiveUser } from '../../runtime/host.ts'
import { findPassingFailure } from '../../runtime/program/passing-failure.ts'
import { floodProblem } from '../../runtime/run-process.ts'
import { decodeText } from '../../runtime/text/decode-text.ts'
import { mountsCommands, ownSystem, quoteWord, renderLookHint } from '../../runtime/text/quote.ts'
import { programCycleNotice, toCycleFailure } from './cycle.ts'
import { describeWords } from './describe-words.ts'
import { describeSearch } from './resolve-program.ts'
import type { ProgramRun } from './run-program.ts'

/**
 * Returns the text that a program printed.
 * @throws {HelperError} with the program's end and its stderr, without secrets. Its stdout and arguments are never shown.
 */
export async function readOutput(run: ProgramRun, { hint, findSignIn }: OutputHints): Promise<string> {
  const { outcome, program } = run
  const { name } = program
  if (outcome.ended === 'not-started') throw await createStartFailure(run, outcome.code)
  if (outcome.ended === 'flooded') throw new HelperError('refused', `${name} ${floodProblem}`, hint)
  if (outcome.stderr.includes(programCycleNotice)) throw toCycleFailure(program)
  const isGood = outcome.ended === 'exited' && outcome.status === 0
  const text = isGood ? decodeText(outcome.stdout) : ''
  if (text === undefined)
    throw new HelperError('refused', `${name} printed bytes that are neither UTF-8 nor UTF-16 text`, hint)
  if (text.trim() !== '') return text
  const message = `${name} ${describeEnd(outcome)}${describeStderr(run)}`
  throw findSignIn?.(run, message) ?? toRefusal(run, message, hint)
}

/** The hints for a program that failed. */
interface OutputHints {
  /** The hint for every failure without one of its own, imperative. */
  readonly hint: string
  /** Returns a failure if the program's words ask for a sign-in; otherwise `undefined`. */
  readonly findSignIn?: (run: ProgramRun, message: string) => HelperError | undefined
}

async function createStartFailure(
  { program: { name }, found: { file } }: ProgramRun,
  code: string,
): Promise<HelperError> {
  const message = `${name} cannot be started (${code})`
  const state = await readStatusIfPresent(file)
  const hints: Readonly<Record<string, string>> = {
    EACCES: state?.isDirectory()
      ? 'it is a directory: write the path of the program in it'
      : describePermission(file, state),
    ENOEXEC: 'name a program of this system; a script begins with a line such as #!/bin/sh',
    E2BIG: 'give it fewer or shorter arguments',
    // The system also gives this code for a script whose interpreter is missing.
    ENOENT: state
      ? 'its first line names a program that does not exist: install that program, or correct the line'
      : describeSearch(name),
  }
  return new HelperError('not-configured', message, hints[code] ?? renderLookHint(file))
}

/** Reads the status of a file; `undefined` if that fails. */
async function readStatusIfPresent(file: string): Promise<Stats | undefined> {
  return stat(file).catch(() => undefined)
}

/** Describes how a file becomes executable for this user. The system may still not start one that is, such as on a disk without programs. */
function describePermission(file: string, state: Stats | undefined): string {
  const user = findEffectiveUser()
  if (!state || user === undefined) return renderLookHint(file)
  const isOwn = state.uid === user
  if ((state.mode & (isOwn ? 0o100 : 0o001)) !== 0)
    return `see whether its disk is mounted with noexec: ${mountsCommands[ownSystem]}`
  return `run: ${isOwn ? 'chmod u+x' : 'sudo chmod a+x'} ${quoteWord(file)}`
}

function describeEnd(outcome: Exclude<ProgramRun['outcome'], { ended: 'not-started' | 'flooded' }>): string {
  if (outcome.ended === 'killed') return `was killed by ${outcome.by}`
  return outcome.status === 0 ? 'printed nothing' : `failed with exit status ${outcome.status}`
}

function describeStderr(run: ProgramRun): string {
  const words = describeWords(run)
  return words === '' ? '' : ` and said: ${words}`
}

function toRefusal(run: ProgramRun, message: string, hint: string): HelperError {
  const { outcome, found } = run
  if (isTemporary(run)) return new HelperError('unavailable', message, `try again in a moment; ${hint}`)
  // `env` and shells exit with this status if they do not find a program.
  if (outcome.ended === 'exited' && outcome.status === 127)
    return new HelperError(
      'not-configured',
      message,
      found.location === "found on the login shell's PATH"
        ? hint
        : 'set path to the directories of the programs that it runs: it does not find one of them',
    )
  return new HelperError('refused', message, hint)
}

/** The statuses of BSD's sysexits.h for a temporary failure (`EX_TEMPFAIL`) and for an unavailable service (`EX_UNAVAILABLE`). */
const temporaryStatuses: readonly number[] = [75, 69]

function isTemporary({ outcome }: ProgramRun): boolean {
  if (outcome.ended !== 'exited' || outcome.status === 0) return false
  return temporaryStatuses.includes(outcome.status) || findPassingFailure(outcome.stderr) !== undefined
}
