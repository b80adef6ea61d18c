import { findHelper } from '../../config/check/find-helper.ts'
import type { HelperScriptCredential } from '../../config/document.ts'
import { toContextVariables } from '../../contract/detect-context.ts'
import { toAwsVariables } from '../../contract/environment.ts'
import type { AttemptedExchange } from '../../helper/attempted-exchange.ts'
import { type DiagnosedCall, diagnoseHelper } from '../../helper/run/diagnose-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { Cli } from '../cli.ts'
import { detectSystem } from '../detect-system.ts'

/** What the helper of a document finds out about its run. */
export interface RepeatedCall extends DiagnosedCall {
  /** The helper. */
  readonly program: string
}

/** The exchange that a helper would have tried, and the call in which it was prepared. */
export interface Attempt extends Pick<RepeatedCall, 'program' | 'call'> {
  readonly attempt: AttemptedExchange
}

/**
 * Has the helper that a document names look once more. `undefined` for a program that is none of ours, for a helper that
 * declares no `diagnose`, and where what kept the helper keeps us as well: it has said so itself.
 */
export async function repeatCall(
  { host, helpers }: Cli,
  credential: HelperScriptCredential,
  outcome: 'succeeded' | 'failed',
): Promise<RepeatedCall | undefined> {
  const found = findHelper(credential, detectSystem(host.platform), (name) => helpers.has(name))
  const helper = found && helpers.get(found.name)
  if (!found || !helper) return undefined
  try {
    const diagnosed = await diagnoseHelper(found.name, helper, asHelper(host, credential, found.args), outcome)
    return diagnosed && { ...diagnosed, program: found.name }
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}

/** The world as the client shows it to the helper, with the time of a call of its own. */
function asHelper(host: Host, { awsEnv }: HelperScriptCredential, argv: readonly string[]): Host {
  const begin = host.clock.elapsedMs()
  const aws = toAwsVariables(awsEnv, host.platform === 'win32' ? '\\' : '/')
  return {
    ...host,
    argv,
    env: { ...host.env, ...aws, ...toContextVariables('setup-test') },
    clock: { ...host.clock, elapsedMs: () => host.clock.elapsedMs() - begin },
  }
}
