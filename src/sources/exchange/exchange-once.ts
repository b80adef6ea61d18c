import { createHash } from 'node:crypto'
import type { MintCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import { type Assertion, type Exchanged, exchangeAssertion, type Failed } from './exchange-assertion.ts'
import type { WorkloadPlan } from './plan.ts'

/**
 * Exchanges an identity token that no process of this user has exchanged before, one process at a time. A token without `jti`
 * is exchanged each time: no platform can recognize a second use of it (RFC 7523, section 3), and services that issue one token
 * for hours leave `jti` out.
 */
export async function exchangeOnce(
  assertion: Assertion,
  { source, target, reuse }: WorkloadPlan,
  { host, call }: { host: Pick<Host, 'clock'>; call: MintCall },
): Promise<Exchanged | Failed> {
  const { jti, exp } = assertion.jwt.claims
  if (reuse === 'allowed' || jti === undefined) return exchangeAssertion(assertion, source, target, { host, call })
  const known = { id: digestAssertion(assertion.token.reveal()), until: Number(exp) * 1000 }
  const outcome = await call.usedAssertions.use(known, async (sentBefore) => {
    // Not given up once it is sent: what it is exchanged for would be lost.
    const whole = { ...call, deadline: call.deadline.whole }
    const result = await exchangeAssertion({ ...assertion, sentBefore }, source, target, { host, call: whole })
    return { result, state: findState(result) }
  })
  return outcome === 'used' ? { failure: toUsedFailure(source), again: 'fresh once', outcome: undefined } : outcome
}

/** After an answer that refuses it, an assertion counts as unused, because only the platform knows. */
function findState(result: Exchanged | Failed): 'used' | 'unused' | 'unknown' {
  if ('token' in result) return 'used'
  const hasNoAnswer = result.outcome !== undefined && 'error' in result.outcome
  return hasNoAnswer && result.again !== 'same' ? 'unknown' : 'unused'
}

/** The id under which a used identity token is recorded; the token cannot be derived from it. */
export function digestAssertion(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}

/** An identity token was exchanged before. Transient, because its source will make another one. */
export class UsedAssertionError extends HelperError {}

function toUsedFailure({ token, renewalHint }: Pick<IdentitySource, 'token' | 'renewalHint'>): HelperError {
  return new UsedAssertionError(
    'unavailable',
    `${token} was exchanged before, and may be valid for one exchange only`,
    `${renewalHint}; if the platform accepts a token more than once, set identity-reuse to allowed`,
  )
}
