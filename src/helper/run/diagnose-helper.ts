import type { Host } from '../../runtime/host.ts'
import type { AttemptedExchange } from '../attempted-exchange.ts'
import type { AnyHelper, NetworkCall } from '../define-helper.ts'
import { parseArguments } from '../options/arguments.ts'
import { readOptions, toValues } from '../options/read-options.ts'
import { requireOptions } from '../options/require.ts'
import { type CommonOptions, commonOptions } from '../options/table.ts'
import { createCallRecord } from '../record/call-record.ts'
import { createCall } from './create-call.ts'

/** The exchange that a helper would have tried, and the call in which it was prepared. */
export interface Diagnosis {
  readonly attempt: AttemptedExchange
  readonly call: NetworkCall
}

/**
 * Runs the `diagnose` of a helper with the settings of a run; `undefined` where it declares none, or exchanges nothing.
 * @param host Its `argv` are the helper's arguments.
 * @throws {HelperError} the failure of a run that does not get as far as the exchange.
 */
export async function diagnoseHelper(program: string, helper: AnyHelper, host: Host): Promise<Diagnosis | undefined> {
  if (!helper.diagnose) return undefined
  const table = { ...commonOptions, ...helper.options }
  const given = await parseArguments(program, table, host.argv)
  const resolved = await readOptions(host, program, table, given)
  requireOptions(program, helper.options, resolved)
  const options = toValues<CommonOptions>(resolved)
  const call = createCall(program, host, resolved, createCallRecord())
  const plan = await helper.plan(host, options, call)
  const attempt = await helper.diagnose(host, options, call, plan)
  return attempt && { attempt, call }
}
