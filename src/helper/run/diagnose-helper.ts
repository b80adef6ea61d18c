import { attemptUnlessFailed } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { AnyHelper, NetworkCall, Plan } from '../define-helper.ts'
import type { DiagnosedRun, Diagnosis } from '../diagnosis.ts'
import { requireArguments } from '../options/arguments.ts'
import { type CommonOptions, commonOptions } from '../options/every-helper-options.ts'
import {
  describeOptions,
  type ResolvedOptions,
  readOptions,
  refuseUnsetOptions,
  toValues,
} from '../options/resolve-options.ts'
import { createCallRecord } from '../record/call-record.ts'
import { createCall } from './call-settings.ts'

/** The diagnosis of a run, and the call and options with which it was made. */
export interface DiagnosedCall {
  readonly diagnosis: Diagnosis
  /** The helper's own options that are set, each with its origin, in words. */
  readonly settings: readonly string[]
  readonly call: NetworkCall
}

/**
 * Runs a helper's `diagnose` with the options of a run; `undefined` if the helper declares none, or if the run exchanges nothing.
 * @param host Its `argv` are the helper's arguments.
 * @throws {HelperError} for options that cannot be used, or the source's own error.
 */
export async function diagnoseHelper(
  program: string,
  helper: AnyHelper,
  host: Host,
  outcome: DiagnosedRun<Plan>['outcome'],
): Promise<DiagnosedCall | undefined> {
  if (!helper.diagnose) return undefined
  const resolved = await readSettings(program, helper, host)
  const options = toValues<CommonOptions>(resolved)
  const call = createCall(program, host, resolved, createCallRecord())
  const plan = await attemptUnlessFailed(() => helper.plan(host, options, call)) // the run has reported the reason
  return {
    diagnosis: await helper.diagnose(host, options, call, { plan, outcome }),
    settings: listSettings(helper, resolved),
    call,
  }
}

/**
 * Lists the further servers that {@link diagnoseHelper} asks, described for a person.
 * @throws {HelperError} for options that cannot be used.
 */
export async function listAskedByHelper(program: string, helper: AnyHelper, host: Host): Promise<readonly string[]> {
  if (!helper.listAsked) return []
  return helper.listAsked(toValues<CommonOptions>(await readSettings(program, helper, host)))
}

async function readSettings(program: string, helper: AnyHelper, host: Host): Promise<ResolvedOptions> {
  const table = { ...commonOptions, ...helper.options }
  const given = await requireArguments(program, table, host.argv)
  const resolved = await readOptions(host, program, table, given)
  refuseUnsetOptions(program, helper.options, resolved)
  return resolved
}

function listSettings({ options }: AnyHelper, resolved: ResolvedOptions): string[] {
  return describeOptions(
    new Map([...resolved].filter(([name, { origin }]) => Object.hasOwn(options, name) && origin.from !== 'default')),
  )
}
