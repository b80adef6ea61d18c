// Folder: exchanging an identity token for an access token (RFC 7523), once.

import type { MintCall, MintedToken, NetworkCall } from '../../helper/define-helper.ts'
import type { Deadline } from '../../runtime/deadline.ts'
import { clockHint, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { isPauseInTime, retry } from '../../runtime/network/retry.ts'
import { findPauseMs } from '../../runtime/network/retry-policy.ts'
import { toClaimFacts } from '../../runtime/tokens/claim-facts.ts'
import { parseIdentity } from '../../runtime/tokens/jwt.ts'
import { selectTexts } from '../../runtime/values/json-value.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import type { Assertion, Exchanged, Failed } from './exchange-assertion.ts'
import { exchangeOnce, isReusable, UsedAssertionError } from './exchange-once.ts'
import type { WorkloadPlan } from './plan-workload.ts'
import { validateAssertion } from './validate-assertion.ts'

/**
 * Gets an identity token and exchanges it. While the platform is busy or unreachable, and once after a refusal, another token of the source
 * is tried. A token may be valid for one exchange only, so a token that may have arrived is sent again only if the platform accepts it more
 * than once (RFC 7523, section 3, jti).
 * @throws {HelperError} the failure of the last exchange, or of the source.
 */
export async function mintWorkloadToken(
  host: Pick<Host, 'clock'>,
  call: MintCall,
  plan: WorkloadPlan,
): Promise<MintedToken> {
  const { source } = plan
  let assertion = await requireAssertion(host, call, source)
  const outcome = await retry(() => exchangeOnce(assertion, plan, { host, call }), {
    findPauseMs: (last, attempt) => findPauseInTime(last, attempt, call.deadline),
    prepare: async (last, pauseMs) => {
      await call.deadline.pause('network', 'waiting to retry the token exchange', pauseMs)
      if ('token' in last || last.again === 'same') return 'ready'
      const fresh = await requireAssertion(host, call, source)
      const isSame = fresh.token.reveal() === assertion.token.reveal()
      assertion = fresh
      // The platform would refuse the same token again.
      const isWorthSending = !isSame || (last.again === 'fresh' && isReusable(assertion, plan))
      return isWorthSending ? 'ready' : 'nothing to send'
    },
  })
  if (!('token' in outcome)) throw outcome.failure
  if (outcome.skew !== undefined) call.warn(`${outcome.skew}; ${clockHint}`)
  return toMintedToken(assertion, plan, outcome, call)
}

async function requireAssertion(
  { clock }: Pick<Host, 'clock'>,
  call: NetworkCall,
  source: IdentitySource,
): Promise<Assertion> {
  const token = await source.obtain(call)
  const text = token.reveal()
  const result = validateAssertion(text, source, clock.now())
  if (!result.ok) throw result.failure
  // The cache key contains the identity that the plan read, so another identity's token must not be stored under it.
  if (source.identity && JSON.stringify(source.identity) !== JSON.stringify(parseIdentity(text)))
    throw new HelperError('unavailable', `${source.token} changed to another identity during this call`, 'try again')
  const { jwt, issuerAheadMs } = result
  // A header that asks for a missing claim fails before the exchange, which may use up the token.
  toClaimFacts(jwt.claims, call.wantedFacts, source.token)
  return { token, jwt, issuerAheadMs }
}

/** Finds the pause before another attempt; `undefined` if there is none, or if it would begin too late. */
function findPauseInTime(last: Exchanged | Failed, attempt: number, deadline: Deadline): number | undefined {
  if ('token' in last || last.again === 'never' || (last.again === 'fresh once' && attempt > 1)) return undefined
  if (last.outcome) return findPauseMs(last.outcome, attempt, deadline)
  // Nothing has been sent if the identity token was used before, so no pause is needed.
  const isUnsent = last.failure instanceof UsedAssertionError
  return isPauseInTime(0, isUnsent ? deadline.remainingMs() : deadline.longestPauseMs()) ? 0 : undefined
}

function toMintedToken(
  { jwt }: Assertion,
  { source, target }: WorkloadPlan,
  { token, sentAt, clockOffsetMs }: Exchanged,
  call: NetworkCall,
): MintedToken {
  const { iss: issuer, sub: subject } = jwt.claims
  const { organizationId: organization, serviceAccountId: service_account, workspaceId: workspace } = target
  const facts = selectTexts({ issuer, subject, organization, service_account, workspace })
  return {
    token: token.token,
    // Counted from before the request, because the token cannot have been issued earlier.
    expiresAt: new Date(sentAt + token.expiresInSec * 1000),
    clockOffsetMs,
    facts: { ...facts, ...toClaimFacts(jwt.claims, call.wantedFacts, source.token) },
  }
}
