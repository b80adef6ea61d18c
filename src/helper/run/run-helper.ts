// Folder: a run from its arguments to its output, with a second token if one is configured, and the commands for a person.

import { longestReadSec } from '../../contract/limits.ts'
import { isLoaded } from '../../contract/output-format.ts'
import { exitStatus, HelperError, refuseBrokenNames, renderFailure, toHelperError } from '../../runtime/failure.ts'
import { createSystemHost, endProcess, type Host, prepareOwnCommand, reportCrashes } from '../../runtime/host.ts'
import { toOutputFailure, unreadOutputHint } from '../../runtime/standard-streams.ts'
import { mountsCommands, ownSystem } from '../../runtime/text/quote.ts'
import { toTypingStreams } from '../../runtime/typed-commands.ts'
import type { AnyHelper, HelperCommand, OtherHelpers } from '../define-helper.ts'
import type { Beginning } from '../memo/answer-from-memo.ts'
import { observeCall } from '../memo/observed-call.ts'
import { requireArguments, stripAction } from '../options/arguments.ts'
import { type CommonOptions, commonOptions } from '../options/every-helper-options.ts'
import type { OptionTable } from '../options/option-table.ts'
import type { OptionValue } from '../options/option-value.ts'
import { type ResolvedOptions, readOptions, toValues } from '../options/resolve-options.ts'
import { type CallRecord, createCallRecord, hasOutcomes, writeLog } from '../record/call-record.ts'
import { runAsChild } from '../run-as-child.ts'
import { answerClient, type CallAnswer } from './answer-client.ts'
import {
  createDeadline,
  createGrace,
  readConfiguration,
  refuseRecursion,
  selectClientTimeoutSec,
  tellOutcomeProblems,
  waitForStderr,
} from './call-settings.ts'

/** Runs a helper's program, and sets the exit status. */
export async function main(
  program: string,
  helper: AnyHelper,
  { systemHost = createSystemHost(), ...start }: ProgramStart & { readonly systemHost?: Host } = {},
): Promise<void> {
  const host = { ...systemHost, streams: toTypingStreams(program, systemHost) }
  let hasCrashed = false
  reportCrashes(async (thrown) => {
    // A failure after an uncaught error is a consequence of it.
    if (hasCrashed) return
    hasCrashed = true
    host.streams.stderr(renderFailure(program, toHelperError(thrown)))
    await waitForStderr(host)
    endProcess(exitStatus.bug, 'abandoned')
  })
  const child = runAsChild(program, host, helper.children)
  if (child) return child
  const { status, work } = await runHelper(program, helper, host, start)
  endProcess(status, work)
}

/** The facts that a helper's program has when it starts. */
interface ProgramStart {
  /** The helpers in the same program, one of which may give a second token; absent, the helper alone. */
  readonly others?: OtherHelpers
  /** The state of the call when this file was loaded; without it no memo is written. */
  readonly beginning?: Beginning | undefined
}

/** The exit status of a run, and whether work still goes on after its answer. */
export interface Ending extends Pick<CallAnswer, 'work'> {
  readonly status: number
}

/**
 * Runs a helper as a client does: on success one document on stdout and nothing on stderr, on failure nothing on stdout and a message. A
 * call reads its options, {@link answerClient} plans it and renders the token with its headers, the text is written, the memo for the next
 * call is written, the log gets its line, and the outcome is spooled.
 */
export async function runHelper(
  program: string,
  helper: AnyHelper,
  host: Host,
  { others = new Map([[program, async () => helper]]), beginning }: ProgramStart = {},
): Promise<Ending> {
  const record = createCallRecord()
  const run = { program, helper, host, others, beginning }
  const ending = await runCall(run, record)
  const log = await writeLog(record, { program, host, status: ending.status }, createGrace(host))
  const telling = await attemptWithinGrace(host, () => recordForOperations(run, record, ending.status))
  const said = await waitForStderr(host, record.deadline)
  return [log, telling, said].includes('abandoned') ? { ...ending, work: 'abandoned' } : ending
}

/** The helper of a program, and the host that it runs on. */
interface CalledProgram {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly others: OtherHelpers
  readonly beginning: Beginning | undefined
}

async function runCall(run: CalledProgram, record: CallRecord): Promise<Ending> {
  const { program, host } = run
  try {
    const found = findPrinting(run, record) ?? (await answer(run, record))
    if (found.deadline) record.deadline ??= found.deadline
    await print(host, found)
    await found.recorded
    const remembering =
      record.warnings.length === 0 ? await attemptWithinGrace(host, async () => found.remember?.()) : 'finished'
    return { status: 0, work: remembering === 'abandoned' ? remembering : found.work }
  } catch (thrown) {
    const failure = applySignInHint(toHelperError(thrown), record.failedWith ?? record.resolved)
    record.failure = failure
    host.streams.stderr(renderFailure(program, failure))
    return { status: exitStatus[failure.kind], work: failure.kind === 'late' ? 'abandoned' : 'finished' }
  }
}

/** Finds the answer from the memo, if the beginning of the program has begun to write one. */
function findPrinting({ host, beginning }: CalledProgram, record: CallRecord): CallAnswer | undefined {
  if (!beginning?.printing) return undefined
  const { written, clientTimeoutSec } = beginning.printing
  return { text: '', work: 'finished', deadline: createDeadline(host, clientTimeoutSec, record), written }
}

/** Does everything up to the text for stdout, for a person who asks for help or runs a command, or for a client. */
async function answer(run: CalledProgram, record: CallRecord): Promise<CallAnswer> {
  const { program, helper, host } = run
  refuseBrokenNames()
  const command = await findTypedCommand(program, helper, host)
  const table = { ...commonOptions, ...helper.options, ...command?.options }
  const { argv, action } = stripAction(table, host.argv)
  const given = await requireArguments(program, table, command ? host.argv.slice(1) : argv)
  if (!command && !given.get('help') && !given.get('version'))
    return answerArguments(run, record, { table, argv, action, given })
  const { answerPerson } = await import('./answer-person.ts')
  return answerPerson({ program, helper, host, record, given, action, command })
}

/** Finds the command that the first argument names; `undefined` for a client's run, whose arguments begin with an option. */
async function findTypedCommand(program: string, helper: AnyHelper, host: Host): Promise<HelperCommand | undefined> {
  if (!/^[a-z]/.test(host.argv[0] ?? '')) return undefined
  const { findCommand, refuseUnknownCommand } = await import('./commands.ts')
  const command = findCommand(helper, host)
  if (!command) refuseUnknownCommand(program, helper, host.argv)
  return command
}

/** A client's arguments, parsed by the helper's table of options. */
interface ParsedArguments {
  readonly table: OptionTable
  /** The arguments before the action. */
  readonly argv: readonly string[]
  readonly action: string | undefined
  readonly given: ReadonlyMap<string, OptionValue>
}

/** Reads the options, and answers a client in the format that they name. */
async function answerArguments(
  { program, helper, host, others, beginning }: CalledProgram,
  record: CallRecord,
  { table, argv, action, given }: ParsedArguments,
): Promise<CallAnswer> {
  const observed = beginning && observeCall(host)
  const { host: readHost } = observed ?? { host }
  const deadline = createDeadline(host, selectClientTimeoutSec(given, readHost), record)
  record.deadline = deadline
  // Reading has a shorter deadline, because a file that is about to be read may set `client-timeout`.
  const reading = deadline.shorten(
    longestReadSec,
    `keep it on a local disk; see what is mounted there with: ${mountsCommands[ownSystem]}`,
  )
  const resolved = await readConfiguration(readHost, helper, { program, table, given }, reading)
  record.resolved = resolved
  if (given.get('explain')) record.isForPerson = true
  else if (hasOutcomes(resolved)) await tellOutcomeProblems(program, host, { resolved, record })
  const { format } = toValues<CommonOptions>(resolved)
  refuseRecursion(readHost.env, format)
  const configured = { program, helper, host, resolved, record }
  const remembering = observed && { observed, location: beginning.memo }
  if (action === undefined && !isLoaded(format)) return answerClient(configured, others, { remembering })
  observed?.stop()
  const { answerInFormat } = await import('./answer-in-format.ts')
  // The command is found before the action is removed, and other processes are started without the action.
  const stripped = { ...host, argv, ownCommand: prepareOwnCommand(host, []) }
  return answerInFormat({ ...configured, host: stripped }, others, { action, deadline }, () =>
    requireArguments(program, table, host.argv),
  )
}

async function print(host: Host, { text, deadline, written }: CallAnswer): Promise<void> {
  try {
    const write = () => written ?? host.streams.stdout(text)
    if (deadline) await (deadline.isOver() ? createGrace(host) : deadline).during('output', 'stdout', write)
    else await write()
  } catch (cause) {
    if (cause instanceof HelperError)
      throw new HelperError('late', 'stdout was not read to its end in time', unreadOutputHint)
    throw toOutputFailure(cause)
  }
}

/**
 * Does work after the output within {@link createGrace}, because the client has its token and waits for the end of the process. Errors are
 * ignored for the same reason.
 */
async function attemptWithinGrace(host: Host, work: () => Promise<void>): Promise<Ending['work']> {
  const deadline = createGrace(host)
  try {
    await deadline.during('output', 'work after the output', work)
    return 'finished'
  } catch {
    return deadline.isOver() ? 'abandoned' : 'finished'
  }
}

/** Spools the call's outcome, if a destination is set. */
async function recordForOperations(run: CalledProgram, record: CallRecord, status: number): Promise<void> {
  const { program, host, beginning } = run
  const spool = beginning?.printing?.spool
  if (spool) return spool()
  // A late call may have waited for these files, so they are not read again.
  const isWrong = status !== 0 && status !== exitStatus.late
  const resolved = record.resolved ?? (isWrong ? await readWithoutArguments(run) : undefined)
  if (record.isForPerson || !resolved || !hasOutcomes(resolved)) return
  const { recordOutcome } = await import('../record/record-outcome.ts')
  await recordOutcome({ program, host, status, resolved, record })
}

/** Resolves the options without arguments, for a call whose arguments cannot be used. */
function readWithoutArguments({ program, helper, host }: CalledProgram): Promise<ResolvedOptions> {
  return readOptions(host, program, { ...commonOptions, ...helper.options })
}

/**
 * Replaces the hint of a failure that requires a sign-in by the option `sign-in-hint`, because most people do not have the tools that our
 * own hints name.
 */
function applySignInHint(failure: HelperError, resolved: ResolvedOptions | undefined): HelperError {
  const hint = resolved?.get('sign-in-hint')?.value
  if (failure.kind !== 'sign-in-required' || typeof hint !== 'string') return failure
  return new HelperError(failure.kind, failure.message, hint, { cause: failure })
}
