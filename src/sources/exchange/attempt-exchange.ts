import type { AttemptedExchange } from '../../helper/attempted-exchange.ts'
import type { NetworkCall } from '../../helper/define-helper.ts'
import type { WorkloadOptions } from '../identity/identity-source.ts'
import type { IdentityKind } from '../identity/options.ts'
import type { WorkloadPlan } from './plan.ts'

/** Sources that hand out a token that somebody else renews. */
const stored: readonly IdentityKind[] = ['file', 'variable', 'kubernetes']

/** Asks the source for an identity token, which is sent nowhere. @throws {HelperError} the source's own. */
export async function attemptExchange(
  { audience, identity }: Pick<WorkloadOptions, 'audience' | 'identity'>,
  call: NetworkCall,
  { source, target, reuse }: WorkloadPlan,
): Promise<AttemptedExchange> {
  const supply = stored.includes(identity) ? 'stored' : 'created'
  const { host: _, ...settings } = target
  return { ...settings, audience, supply, reuse, assertion: await source.obtain(call) }
}
