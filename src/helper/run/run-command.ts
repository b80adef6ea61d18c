import { detectContext } from '../../contract/detect-context.ts'
import { Deadline } from '../../runtime/deadline.ts'
import { renderNotice } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { AnyHelper, HelperCommand } from '../define-helper.ts'
import { readOptions, requireOptions, toValues } from '../options/resolve.ts'
import { type CommonOptions, commonOptions } from '../options/table.ts'
import type { OptionValue } from '../options/value.ts'
import type { CallRecord } from '../record/call-record.ts'
import type { CallAnswer } from './answer-call.ts'
import { createCall } from './call-settings.ts'

/** A command line of a person: `NAME COMMAND [OPTIONS]`. */
interface Typed {
  readonly program: string
  readonly helper: AnyHelper
  readonly host: Host
  readonly record: CallRecord
  readonly given: ReadonlyMap<string, OptionValue>
}

/**
 * Runs a command of a person, with the settings of a run.
 * @throws {HelperError} for settings that cannot be used, or the command's own.
 */
export async function runCommand(command: HelperCommand, typed: Typed): Promise<CallAnswer> {
  const { program, helper, host, record } = typed
  const deadline = new Deadline({ seconds: command.longestSec, hint: 'start again' }, host.clock)
  const table = { ...commonOptions, ...helper.options, ...command.options }
  const resolved = await deadline.during('configuration', 'reading the configuration files', () =>
    readOptions(host, program, table, typed.given),
  )
  record.resolved = resolved
  requireOptions(program, helper.options, resolved)
  const options = toValues<CommonOptions>(resolved)
  let printed = ''
  const print = (text: string) => {
    printed = text
  }
  const tell = (message: string) => host.streams.stderr(renderNotice(program, message))
  // A person who runs a command asks for it, with or without a terminal; a client in a silent context does not.
  const context = detectContext(host.env, () => 'terminal')
  const call = { ...createCall(program, host, resolved, record), context, deadline, tell, print }
  const plan = await deadline.during('configuration', 'reading the configuration', () =>
    helper.plan(host, options, call),
  )
  record.uses = plan.steps
  await command.run(host, options, call, plan)
  return { text: printed, work: 'finished' }
}
