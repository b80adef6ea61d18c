import type { NetworkCall } from '../../helper/define-helper.ts'
import type { AttemptedExchange } from '../../helper/diagnosis.ts'
import type { WorkloadOptions } from '../identity/identity-source.ts'
import type { IdentityKind } from '../identity/workload-options.ts'
import type { WorkloadPlan } from './plan-workload-exchange.ts'

/**
 * Gets the identity token that a workload would exchange, for a diagnosis, without sending it. @throws {HelperError} the source's failure.
 */
export async function attemptExchange(
  { audience, identity }: Pick<WorkloadOptions, 'audience' | 'identity'>,
  call: NetworkCall,
  { source, target, reuse }: WorkloadPlan,
): Promise<AttemptedExchange> {
  const supply = stored.includes(identity) ? 'stored' : 'created'
  const { host: _, ...settings } = target
  return { ...settings, audience, supply, reuse, assertion: await source.obtain(call) }
}

/** Sources with a stored token, which another program renews. */
const stored: readonly IdentityKind[] = ['file', 'variable', 'kubernetes']
