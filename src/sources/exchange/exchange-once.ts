import type { MintCall } from '../../helper/define-helper.ts'
import { sha256 } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import { type Assertion, type Exchanged, exchangeAssertion, type Failed } from './exchange-assertion.ts'
import type { WorkloadPlan } from './plan.ts'

/**
 * Exchanges an identity token that no process of this user has exchanged before, one process at a time. Without a `jti`
 * nobody can tell a second use (RFC 7523, section 3), and services that hand out one token for hours write none.
 */
export async function exchangeOnce(
  assertion: Assertion,
  { source, target, reuse }: WorkloadPlan,
  { host, call }: { host: Pick<Host, 'clock'>; call: MintCall },
): Promise<Exchanged | Failed> {
  const exchange = () => exchangeAssertion(assertion, source, target, { host, call })
  const { jti, exp } = assertion.jwt.claims
  if (reuse === 'allowed' || jti === undefined) return exchange()
  const outcome = await call.spent.use(digestAssertion(assertion.token.reveal()), async (spend) => {
    const answered = await exchange()
    // What failed may have failed for any reason; the platform knows whether it counts.
    if ('token' in answered) await spend(Number(exp) * 1000)
    return answered
  })
  return outcome === 'spent' ? { failure: asUsed(source), again: 'fresh', pauseMs: 0 } : outcome
}

/** By what an identity token is known to have been exchanged: nothing can be made of it. */
export function digestAssertion(text: string): string {
  return sha256(text).slice(0, 40)
}

/** Brief, because whoever makes the tokens makes another one. */
function asUsed({ token, renewal }: Pick<IdentitySource, 'token' | 'renewal'>): HelperError {
  return new HelperError(
    'unavailable',
    `${token} was exchanged already, and may be good for one exchange only`,
    `${renewal}; if the platform takes one more than once, set identity-reuse to allowed`,
  )
}
