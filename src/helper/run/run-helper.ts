import { clientDefaults } from '../../contract/limits.ts'
import { escapeControls } from '../../runtime/escape-controls.ts'
import { exitStatus, HelperError, renderFailure, renderWarning, toHelperError } from '../../runtime/failure.ts'
import { expandHome } from '../../runtime/files.ts'
import { findProcessId, type Host } from '../../runtime/host.ts'
import type { AnyHelper } from '../define-helper.ts'
import { parseArguments } from '../options/arguments.ts'
import { locateOptionFiles } from '../options/files.ts'
import { readOptions } from '../options/read-options.ts'
import { commonOptions } from '../options/table.ts'
import { type Answer, answerCall } from './answer-call.ts'
import { type CallRecord, createCallRecord, findLogFile, renderCallRecord } from './call-record.ts'
import { createDeadline } from './create-call.ts'
import { refuseRecursion } from './recursion.ts'
import { applySignInHint } from './sign-in-hint.ts'

/** How a run ended. */
interface Ending extends Pick<Answer, 'work'> {
  readonly status: number
}

/** Runs a helper as a client does: one document on stdout and silence on stderr, or nothing on stdout and a message. */
export async function runHelper(program: string, helper: AnyHelper, host: Host): Promise<Ending> {
  const record = createCallRecord()
  const ending = await runCall(program, helper, host, record)
  await writeLog(program, host, record, ending)
  return ending
}

async function runCall(program: string, helper: AnyHelper, host: Host, record: CallRecord): Promise<Ending> {
  try {
    const { text, work } = await produce(program, helper, host, record)
    print(host, text)
    return { status: 0, work }
  } catch (thrown) {
    const failure = applySignInHint(toHelperError(thrown), record.resolved)
    record.failure = failure
    host.streams.stderr(renderFailure(program, failure))
    return { status: exitStatus[failure.kind], work: failure.kind === 'late' ? 'abandoned' : 'finished' }
  }
}

/** Called last, so that a log that cannot be written costs one warning and never the token. */
async function writeLog(program: string, host: Host, record: CallRecord, { status }: Ending): Promise<void> {
  const path = findLogFile(record)
  if (path === undefined) return
  const { appendToLog, describeLogProblem } = await import('../../runtime/log-file.ts')
  const line = renderCallRecord(record, { program, clock: host.clock, process: findProcessId(), status })
  try {
    appendToLog(expandHome(path, host.home), line)
  } catch (error) {
    host.streams.stderr(renderWarning(program, `cannot write the log: ${describeLogProblem(error)}`))
  }
}

/** Everything up to the text for stdout. */
async function produce(program: string, helper: AnyHelper, host: Host, record: CallRecord): Promise<Answer> {
  const table = { ...commonOptions, ...helper.options }
  const given = await parseArguments(program, table, host.argv)
  if (given.get('help') || given.get('version')) {
    const { renderHelp, renderVersion } = await import('./help.ts')
    return finished(
      given.get('help')
        ? renderHelp(program, helper, locateOptionFiles(host, program))
        : renderVersion(program, host.runtimeVersion),
    )
  }
  refuseRecursion(host.env)
  const deadline = createDeadline(host, record, Number(given.get('client-timeout') ?? clientDefaults.timeoutSec))
  const resolved = await deadline.during('reading the configuration files', () =>
    readOptions(host, program, table, given),
  )
  record.resolved = resolved
  return answerCall(program, helper, host, resolved, record)
}

/** A text for people: a name of a file in it may hold anything. */
function finished(text: string): Answer {
  return { text: escapeControls(text), work: 'finished' }
}

function print(host: Host, text: string): void {
  try {
    host.streams.stdout(text)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const hint =
      code === 'ENOSPC'
        ? 'make room where stdout is written to'
        : 'have the program that starts this read stdout to its end'
    throw new HelperError('unavailable', `stdout cannot be written (${code})`, hint, { cause })
  }
}
