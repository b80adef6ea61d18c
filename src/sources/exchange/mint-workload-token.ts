import { setTimeout as sleep } from 'node:timers/promises'
import type { MintCall, MintedToken, NetworkCall } from '../../helper/define-helper.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { IdentitySource } from '../identity/identity-source.ts'
import { parseIdentity } from '../jwt.ts'
import type { Assertion, Exchanged, Failed } from './exchange-assertion.ts'
import { exchangeOnce } from './exchange-once.ts'
import type { ExchangeTarget, WorkloadPlan } from './plan.ts'
import { validateAssertion } from './validate-assertion.ts'

/**
 * Obtains an identity token and exchanges it. If the platform refuses it or is busy, one more token of the source is tried. A
 * token may be valid for one exchange only, so none that may have arrived is sent again.
 * @throws {HelperError} the failure of the last exchange, or of the source.
 */
export async function mintWorkloadToken(
  host: Pick<Host, 'clock'>,
  call: MintCall,
  plan: WorkloadPlan,
): Promise<MintedToken> {
  const { source, target } = plan
  const first = await obtainAssertion(host, call, source)
  const outcome = await exchangeOnce(first, plan, { host, call })
  if ('token' in outcome) return toMintedToken(first, target, outcome, call)
  const second = await findSecondAssertion(host, call, source, { first, outcome })
  if (!second) throw outcome.failure
  const last = await exchangeOnce(second, plan, { host, call })
  if ('token' in last) return toMintedToken(second, target, last, call)
  throw last.failure
}

async function obtainAssertion(
  { clock }: Pick<Host, 'clock'>,
  call: NetworkCall,
  source: IdentitySource,
): Promise<Assertion> {
  const token = await source.obtain(call)
  const text = token.reveal()
  const result = validateAssertion(text, source, clock.now())
  if (!result.ok) throw result.failure
  // The key of the cache holds the identity that the plan read; another identity's token must not be stored under it.
  if (source.identity && JSON.stringify(source.identity) !== JSON.stringify(parseIdentity(text)))
    throw new HelperError('unavailable', `${source.token} changed to another identity during this call`, 'try again')
  return { token, jwt: result.jwt, issuerAheadMs: result.issuerAheadMs }
}

async function findSecondAssertion(
  host: Pick<Host, 'clock'>,
  call: NetworkCall,
  source: IdentitySource,
  { first, outcome: { again, pauseMs } }: { first: Assertion; outcome: Failed },
): Promise<Assertion | undefined> {
  if (again === 'never' || pauseMs >= call.deadline.remainingMs()) return undefined
  await call.deadline.during('waiting to retry the token exchange', ({ signal }) =>
    sleep(pauseMs, undefined, { signal }),
  )
  if (again === 'same') return first
  const fresh = await obtainAssertion(host, call, source)
  return fresh.token.reveal() === first.token.reveal() ? undefined : fresh
}

function toMintedToken(
  { jwt }: Assertion,
  target: ExchangeTarget,
  { token, sentAt, clockOffsetMs, skew }: Exchanged,
  call: NetworkCall,
): MintedToken {
  if (skew !== undefined) call.warn(`${skew}; set the clock of this machine`)
  const { iss: issuer, sub: subject } = jwt.claims
  const { organizationId: organization, serviceAccountId: service_account, workspaceId: workspace } = target
  const facts = Object.entries({ issuer, subject, organization, service_account, workspace })
  return {
    token: token.token,
    // By this machine's clock, and from before the request, because the token cannot have been issued earlier.
    expiresAt: new Date(sentAt + token.expiresInSec * 1000),
    clockOffsetMs,
    facts: Object.fromEntries(facts.filter((fact): fact is [string, string] => typeof fact[1] === 'string')),
  }
}
