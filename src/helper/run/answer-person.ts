import { detectContext } from '../../contract/detect-context.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { renderNotice } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { renewalCommand } from '../../runtime/program/renewal-command.ts'
import { escapeControls } from '../../runtime/text/escape.ts'
import { toTypedCommands } from '../../runtime/typed-commands.ts'
import type { AnyHelper, HelperCommand } from '../define-helper.ts'
import { type CommonOptions, commonOptions } from '../options/every-helper-options.ts'
import { locateOptionFiles } from '../options/option-files.ts'
import type { OptionValue } from '../options/option-value.ts'
import { readOptions, refuseUnsetOptions, toValues } from '../options/resolve-options.ts'
import { type CallRecord, createCallRecord } from '../record/call-record.ts'
import type { CallAnswer } from './answer-client.ts'
import { createCall } from './call-settings.ts'

/**
 * Answers a person: with the text of `--help` or `--version`, or with a command such as `sign-in`.
 * @throws {HelperError} for settings that cannot be used, or the command's own.
 */
export async function answerPerson(typed: TypedCall): Promise<CallAnswer> {
  const { host, record, given, command } = typed
  record.isForPerson = true
  if (!command || given.get('help') || given.get('version'))
    return { text: escapeControls(await renderText(typed)), work: 'finished' }
  // A renewal belongs to the calls that wait for it, which have their own lines in the log.
  return runCommand(command, host.argv[0] === renewalCommand ? { ...typed, record: createCallRecord() } : typed)
}

/** A command line that a person has typed: `NAME COMMAND [OPTIONS]`, or one with `--help` or `--version`. */
interface TypedCall {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly record: CallRecord
  readonly given: ReadonlyMap<string, OptionValue>
  readonly action: string | undefined
  readonly command: HelperCommand | undefined
}

/** Renders the help or the version without control characters, because the name of a file in it may hold any. */
async function renderText({ program, helper, host, given, action }: TypedCall): Promise<string> {
  // Loaded on use, because no command needs it.
  const { renderHelp, renderVersion } = await import('./help.ts')
  if (!given.get('help')) return renderVersion(program, host.runtimeVersion)
  const extent = action === 'all' ? 'all' : 'usual'
  const text = renderHelp(program, helper, locateOptionFiles(host, program), {
    columns: host.streams.columns(),
    extent,
  })
  return toTypedCommands(text, program, host)
}

/** Runs a command that a person has typed, with the options of a run. */
async function runCommand(command: HelperCommand, typed: TypedCall): Promise<CallAnswer> {
  const { program, helper, host, record } = typed
  const deadline = new Deadline({ seconds: command.longestSec, hint: 'run the same command again' }, host.clock)
  const table = { ...commonOptions, ...helper.options, ...command.options }
  const resolved = await deadline.during('configuration', 'reading the configuration files', () =>
    readOptions(host, program, table, typed.given),
  )
  record.resolved = resolved
  refuseUnsetOptions(program, helper.options, resolved)
  const options = toValues<CommonOptions>(resolved)
  let printed = ''
  const print = (text: string) => {
    printed = text
  }
  const tell = (message: string) => host.streams.stderr(renderNotice(program, message))
  // A person may be asked even without a terminal, because the person has typed the command. A client in a silent context has not.
  const context = detectContext(host.env, () => 'terminal')
  const ownCall = createCall(program, host, resolved, record)
  record.deadline = ownCall.deadline
  const call = { ...ownCall, context, deadline, tell, print }
  const plan = await deadline.during('configuration', 'reading the configuration', () =>
    helper.plan(host, options, call),
  )
  record.uses = plan.steps
  await command.run(host, options, call, plan)
  return { text: printed, work: 'finished' }
}
