import type { NetworkCall } from '../../helper/define-helper.ts'
import type { PreparedExchange } from '../../helper/diagnosis.ts'
import type { WorkloadOptions } from '../identity/identity-source.ts'
import type { WorkloadPlan } from './plan-workload.ts'

/**
 * Gets the identity token that a workload would exchange, for a diagnosis, without sending it. @throws {HelperError} the source's failure.
 */
export async function prepareExchange(
  { audience }: Pick<WorkloadOptions, 'audience'>,
  call: NetworkCall,
  { source, supply, target, reuse }: WorkloadPlan,
): Promise<PreparedExchange> {
  const { host: _, ...settings } = target
  return { ...settings, audience, supply, reuse, assertion: await source.obtain(call) }
}
