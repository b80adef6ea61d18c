import type { HelperScriptCredential } from '../../config/document.ts'
import { contextEnvironment } from '../../contract/context.ts'
import { awsEnvironment } from '../../contract/environment.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import { parseArguments } from '../../helper/options/arguments.ts'
import { resolveOptions } from '../../helper/options/resolve.ts'
import { type CommonOptions, commonOptions } from '../../helper/options/table.ts'
import { startCallRecord } from '../../helper/run/call-record.ts'
import { startCall } from '../../helper/run/start-call.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { planWorkload, type WorkloadPlan } from '../../sources/exchange/plan.ts'
import type { WorkloadOptions } from '../../sources/identity/identity-source.ts'
import { workloadOptions } from '../../sources/identity/options.ts'
import { readOptionLocations } from '../helper-facts.ts'
import { programName } from '../program-name.ts'

/** The helper whose failures are explained. */
export const workloadHelper = 'workload-token'

/** What the helper had, or would have, sent. */
export interface Tried {
  readonly assertion: Secret
  readonly plan: WorkloadPlan
  readonly options: WorkloadOptions
  readonly call: NetworkCall
}

/**
 * Asks the source that a helper's settings name once more for an identity token. `undefined` where that cannot be: what
 * keeps us from it is what kept the helper, and it has said so.
 */
export async function obtainAgain(
  host: Host,
  credential: HelperScriptCredential,
  args: readonly string[],
): Promise<Tried | undefined> {
  try {
    return await obtain(asHelper(host, credential), args)
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}

async function obtain(host: Host, args: readonly string[]): Promise<Tried> {
  const table = { ...commonOptions, ...workloadOptions }
  const given = parseArguments(workloadHelper, table, args)
  const places = await readOptionLocations(host, workloadHelper, table)
  const resolved = resolveOptions(workloadHelper, table, { arguments: given, ...places })
  // The table that resolved the options is the one that types them.
  const options = Object.fromEntries([...resolved].map(([name, { value }]) => [name, value])) as WorkloadOptions &
    CommonOptions
  const call = startCall(programName, host, resolved, startCallRecord())
  const plan = await planWorkload(host, options, { program: workloadHelper })
  return { assertion: await plan.source.obtain(call), plan, options, call }
}

/** The world as the client shows it to the helper, with the time of a call of its own. */
function asHelper(host: Host, { awsEnv }: HelperScriptCredential): Host {
  const begin = host.clock.elapsedMs()
  const aws = awsEnvironment(awsEnv, host.platform === 'win32' ? '\\' : '/')
  return {
    ...host,
    env: { ...host.env, ...aws, ...contextEnvironment('setup-test') },
    clock: { ...host.clock, elapsedMs: () => host.clock.elapsedMs() - begin },
  }
}
