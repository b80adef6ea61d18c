import { createHash } from 'node:crypto'
import type { MintCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import { type Assertion, type Exchanged, exchangeAssertion, type Failed } from './exchange-assertion.ts'
import type { WorkloadPlan } from './plan-workload-exchange.ts'

/**
 * Exchanges an identity token only if no process of this user has exchanged it before, one process at a time. A token that
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
    // The exchange is not given up once the assertion is sent, because the access token would be lost.
    const whole = { ...call, deadline: call.deadline.whole }
    const result = await exchangeAssertion({ ...assertion, sentBefore }, source, target, { host, call: whole })
    return { result, state: findState(result) }
  })
  return outcome === 'used' ? { failure: toUsedFailure(source), again: 'fresh once', outcome: undefined } : outcome
}

/**
 * Whether an identity token may be exchanged more than once: the platform accepts that, or the token has no `jti`, without which a
 * platform cannot recognize a second use (RFC 7523, section 3). Services that issue one token for hours leave `jti` out.
 */
export function isReusable({ jwt }: Assertion, { reuse }: Pick<WorkloadPlan, 'reuse'>): boolean {
  return reuse === 'allowed' || jwt.claims.jti === undefined
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

/** An identity token was exchanged before. The failure is transient, because the source will make another token. */
export class UsedAssertionError extends HelperError {}

function toUsedFailure({ token, renewalHint }: Pick<IdentitySource, 'token' | 'renewalHint'>): HelperError {
  return new UsedAssertionError(
    'unavailable',
    `${token} was exchanged before, and may be valid for one exchange only`,
    `${renewalHint}; if the platform accepts a token more than once, set identity-reuse to allowed`,
  )
}
