import { plainWriters } from '../../contract/formats/plain-writers.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { escapeControls } from '../../runtime/escape-controls.ts'
import { exitStatus, HelperError, renderFailure, renderWarning, toHelperError } from '../../runtime/failure.ts'
import { expandHome } from '../../runtime/files.ts'
import { findProcessId, type Host } from '../../runtime/host.ts'
import { refuseBrokenNames } from '../../runtime/machine/refuse-broken-names.ts'
import { createDeadline } from '../call/create-call.ts'
import type { AnyHelper, HelperCommand } from '../define-helper.ts'
import { refuseRecursion } from '../formats/refuse-recursion.ts'
import type { Beginning } from '../memo/beginning.ts'
import { observeCall } from '../memo/observed-call.ts'
import { stripAction } from '../options/action.ts'
import { parseArguments } from '../options/arguments.ts'
import { locateOptionFiles } from '../options/files.ts'
import { readOptions, toValues } from '../options/read-options.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import { type CommonOptions, commonOptions } from '../options/table.ts'
import type { OtherHelpers } from '../other-helpers.ts'
import { hasOutcomes } from '../outcome/has-outcomes.ts'
import { type CallRecord, createCallRecord, findLogFile } from '../record/call-record.ts'
import { type Answer, answerCall } from './answer-call.ts'
import { findClientTimeoutSec, readConfiguration } from './read-configuration.ts'
import { applySignInHint } from './sign-in-hint.ts'

/** How a run ended. */
interface Ending extends Pick<Answer, 'work'> {
  readonly status: number
}

/**
 * In seconds, how long writing may take beyond the deadline, and the log at most. A call ends two seconds before the client
 * would kill it.
 */
const graceSec = 1

/**
 * Runs a helper as a client does: one document on stdout and silence on stderr, or nothing on stdout and a message.
 * @param others The helpers of the same program, of which one may give a second token.
 * @param beginning What came of the call before this was loaded; without it no memo is left.
 */
export async function runHelper(
  program: string,
  helper: AnyHelper,
  host: Host,
  others: OtherHelpers = new Map([[program, async () => helper]]),
  beginning?: Beginning,
): Promise<Ending> {
  const record = createCallRecord()
  const ending = await runCall({ program, helper, host, others, beginning }, record)
  const log = await writeLog(program, host, record, ending)
  const telling = await tellOperations({ program, helper, host, others, beginning }, record, ending)
  await host.streams.flush()
  return log === 'abandoned' || telling === 'abandoned' ? { ...ending, work: 'abandoned' } : ending
}

/** What is run, and where. */
interface Program {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly others: OtherHelpers
  readonly beginning: Beginning | undefined
}

async function runCall(run: Program, record: CallRecord): Promise<Ending> {
  const { program, host } = run
  try {
    const answer = findPrinting(run, record) ?? (await produce(run, record))
    await print(host, answer)
    const remembering = record.warnings.length === 0 ? await remember(host, answer) : 'finished'
    return { status: 0, work: remembering === 'abandoned' ? remembering : answer.work }
  } catch (thrown) {
    const failure = applySignInHint(toHelperError(thrown), record.failedWith ?? record.resolved)
    record.failure = failure
    host.streams.stderr(renderFailure(program, failure))
    return { status: exitStatus[failure.kind], work: failure.kind === 'late' ? 'abandoned' : 'finished' }
  }
}

/** For a moment only, because a client waits for the end of the process, and has its token: no error counts. */
async function remember(host: Host, answer: Answer): Promise<Ending['work']> {
  const deadline = startGrace(host)
  try {
    await deadline.during('cache', 'the memo', async () => answer.remember?.())
    return 'finished'
  } catch {
    return deadline.isOver() ? 'abandoned' : 'finished'
  }
}

/** Called last and for a moment only, so that a log that cannot be written costs one warning and never the token. */
async function writeLog(program: string, host: Host, record: CallRecord, ending: Ending): Promise<Ending['work']> {
  const setting = findLogFile(record)
  if (setting === undefined) return 'finished'
  const [{ renderCallRecord }, { appendToLog, describeLogProblem }] = await Promise.all([
    import('../record/render-record.ts'),
    import('../../runtime/writing/log-file.ts'),
  ])
  const { status } = ending
  const line = renderCallRecord(record, { program, clock: host.clock, process: findProcessId(), status })
  const path = expandHome(setting, host.home)
  const deadline = startGrace(host)
  try {
    await deadline.during('output', path, () => appendToLog(path, line))
    return 'finished'
  } catch (error) {
    const isLate = error instanceof HelperError
    const problem = isLate ? `${path} does not respond` : describeLogProblem(error)
    host.streams.stderr(renderWarning(program, `cannot write the log: ${problem}`))
    return isLate ? 'abandoned' : 'finished'
  }
}

/**
 * Spools the outcome of a call for operations, where they are to be told. Last, after the output, and for a moment only; what
 * cannot be written is lost, because a call is not there for it.
 */
async function tellOperations(run: Program, record: CallRecord, { status }: Ending): Promise<Ending['work']> {
  const { program, host, beginning } = run
  const deadline = startGrace(host)
  const tell = async () => {
    const spool = beginning?.printing?.spool
    if (spool) return spool()
    // Where the files are what was late, they would be waited for once more.
    const isWrong = status !== 0 && status !== exitStatus.late
    const resolved = record.resolved ?? (isWrong ? await readWithoutArguments(run) : undefined)
    if (record.isForPerson || !resolved || !hasOutcomes(resolved)) return
    const { recordOutcome } = await import('../outcome/record-outcome.ts')
    await recordOutcome({ program, host, status, resolved, record })
  }
  try {
    await deadline.during('output', 'the spool', tell)
    return 'finished'
  } catch {
    return deadline.isOver() ? 'abandoned' : 'finished'
  }
}

/** What the files and the environment set, for a call whose arguments cannot be used. */
function readWithoutArguments({ program, helper, host }: Program): Promise<ResolvedOptions> {
  return readOptions(host, program, { ...commonOptions, ...helper.options })
}

/** The answer that the beginning of the program has begun to write; `undefined` where it found none. */
function findPrinting({ host, beginning }: Program, record: CallRecord): Answer | undefined {
  if (!beginning?.printing) return undefined
  const { written, clientTimeoutSec } = beginning.printing
  return { text: '', work: 'finished', deadline: createDeadline(host, record, clientTimeoutSec), written }
}

/** Everything up to the text for stdout. */
async function produce({ program, helper, host, others, beginning }: Program, record: CallRecord): Promise<Answer> {
  refuseBrokenNames()
  const table = { ...commonOptions, ...helper.options }
  const command = await findCommand(helper, host)
  const { argv, action } = stripAction(table, host.argv)
  const given = await parseArguments(program, table, command ? host.argv.slice(1) : argv)
  if (given.get('help') || given.get('version')) {
    record.isForPerson = true
    const { renderHelp, renderVersion } = await import('./help.ts')
    const columns = host.streams.columns()
    return finished(
      given.get('help')
        ? renderHelp(program, helper, locateOptionFiles(host, program), columns)
        : renderVersion(program, host.runtimeVersion),
    )
  }
  if (command) {
    record.isForPerson = true
    const { runCommand } = await import('./run-command.ts')
    return runCommand(command, { program, helper, host, record, given })
  }
  const observed = beginning && observeCall(host)
  const { host: readHost } = observed ?? { host }
  const deadline = createDeadline(host, record, findClientTimeoutSec(given, readHost))
  const resolved = await readConfiguration({ program, helper, host: readHost, table, given }, deadline)
  record.resolved = resolved
  if (given.get('explain')) record.isForPerson = true
  else if (hasOutcomes(resolved)) await warnOfOutcomes(program, host, { resolved, record })
  const remembering = observed && { observed, location: beginning.memo }
  const options = toValues<CommonOptions>(resolved)
  refuseRecursion(readHost.env, options.format)
  if (action === undefined && plainWriters[options.format])
    return answerCall({ program, helper, host, others, remembering }, resolved, record)
  observed?.stop()
  const { answerInFormat } = await import('./answer-in-format.ts')
  const asked = { program, helper, host: { ...host, argv }, others, resolved, options, action, record, deadline }
  return answerInFormat(asked, () => parseArguments(program, table, host.argv))
}

/** A setting that cannot be used costs a warning, and never the token. */
async function warnOfOutcomes(
  program: string,
  { streams }: Pick<Host, 'streams'>,
  { resolved, record }: { resolved: ResolvedOptions; record: CallRecord },
): Promise<void> {
  const { parseOutcomeSettings } = await import('../outcome/outcome-settings.ts')
  for (const problem of parseOutcomeSettings(resolved).problems) {
    record.warnings.push(problem)
    streams.stderr(renderWarning(program, problem))
  }
}

/** The command of a person that the first argument names; `undefined` for the run of a client. */
async function findCommand(helper: AnyHelper, { argv: [first = ''] }: Host): Promise<HelperCommand | undefined> {
  if (!/^[a-z]/.test(first)) return undefined
  // Loaded here, because a client's arguments begin with an option.
  const { listCommands } = await import('./commands/list-commands.ts')
  const commands = listCommands(helper)
  return Object.hasOwn(commands, first) ? commands[first] : undefined
}

/** A text for people: a name of a file in it may hold anything. */
function finished(text: string): Answer {
  return { text: escapeControls(text), work: 'finished' }
}

async function print(host: Host, { text, work, deadline, written }: Answer): Promise<void> {
  const hint = 'have the program that starts this read stdout to its end'
  try {
    const write = () => written ?? host.streams.stdout(text, work)
    if (deadline) await (deadline.isOver() ? startGrace(host) : deadline).during('output', 'stdout', write)
    else await write()
  } catch (cause) {
    if (cause instanceof HelperError) throw new HelperError('late', 'stdout was not read to its end in time', hint)
    const { code } = cause as NodeJS.ErrnoException
    throw new HelperError(
      'unavailable',
      `stdout cannot be written (${code})`,
      code === 'ENOSPC' ? 'make room where stdout is written to' : hint,
      { cause },
    )
  }
}

function startGrace({ clock }: Pick<Host, 'clock'>): Deadline {
  return new Deadline({ seconds: clock.elapsedMs() / 1000 + graceSec, hint: '' }, clock)
}
