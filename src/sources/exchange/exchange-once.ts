// Keeps an identity token from being exchanged twice; `exchange-assertion.ts` sends it.

import { hash } from 'node:crypto'
import type { MintCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import { type Assertion, type Exchanged, exchangeAssertion, type Failed } from './exchange-assertion.ts'
import type { WorkloadPlan } from './plan-workload.ts'

/**
 * Exchanges an identity token, unless a process of this user has exchanged it before. One process at a time does so. A token that
 * {@link isReusable} is exchanged each time.
 */
export async function exchangeOnce(
  assertion: Assertion,
  plan: WorkloadPlan,
  { host, call }: { host: Pick<Host, 'clock'>; call: MintCall },
): Promise<Exchanged | Failed> {
  const { source, target } = plan
  if (isReusable(assertion, plan)) return exchangeAssertion(assertion, source, target, { host, call })
  const { exp } = assertion.jwt.claims
  const known = { id: digestAssertion(assertion.token.reveal()), until: Number(exp) * 1000 }
  const outcome = await call.usedAssertions.use(known, async (sentBefore) => {
    // Once the assertion is sent, the exchange may use the whole time of the call, because otherwise the access token would be lost.
    const whole = { ...call, deadline: call.deadline.whole }
    const result = await exchangeAssertion({ ...assertion, sentBefore }, source, target, { host, call: whole })
    return { result, state: detectState(result) }
  })
  return outcome === 'used' ? { failure: toUsedFailure(source), again: 'fresh once', outcome: undefined } : outcome
}

/**
 * Returns whether an identity token may be exchanged more than once: the platform accepts that, or the token has no `jti`, so that the
 * platform cannot recognize a second use (RFC 7523, section 3). Services that issue one token for hours leave out `jti`.
 */
export function isReusable({ jwt }: Assertion, { reuse }: Pick<WorkloadPlan, 'reuse'>): boolean {
  return reuse === 'allowed' || jwt.claims.jti === undefined
}

/**
 * Detects the state of an assertion after an exchange. A refused one counts as unused, because this process cannot tell whether the
 * platform has used it.
 */
function detectState(result: Exchanged | Failed): 'used' | 'unused' | 'unknown' {
  if ('token' in result) return 'used'
  const hasNoAnswer = result.outcome !== undefined && 'error' in result.outcome
  return hasNoAnswer && result.again !== 'same' ? 'unknown' : 'unused'
}

/** Digests an identity token to the ID of its record, from which the token cannot be derived. */
export function digestAssertion(text: string): string {
  return hash('sha256', text).slice(0, 40)
}

/** The failure for an identity token that was exchanged before. It is transient, because the source will issue another token. */
export class UsedAssertionError extends HelperError {}

function toUsedFailure({ token, renewalHint }: Pick<IdentitySource, 'token' | 'renewalHint'>): HelperError {
  return new UsedAssertionError(
    'unavailable',
    `${token} was exchanged before, and may be valid for one exchange only`,
    `${renewalHint}; if the platform accepts a token more than once, set identity-reuse to allowed`,
  )
}
