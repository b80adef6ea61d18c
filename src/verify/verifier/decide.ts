import { hash } from 'node:crypto'
import { rejectAwsKey } from '../aws/reject-aws-key.ts'
import type { Policy } from '../policy/policy.ts'
import { TokenRefusal } from '../token-refusal.ts'
import type { Identity } from '../verdict.ts'
import type { Decision } from './decision.ts'
import { detectKind } from './detect-kind.ts'
import type { VerifierLimits } from './limits.ts'
import type { AppliedRule, TokenChecks } from './verifier-parts.ts'
import { waitWithin } from './wait-within.ts'

interface DecideParts {
  readonly now: () => number
  readonly limits: VerifierLimits
}

/** Decides about one token, and says how many are being decided. */
interface Decide {
  (token: string, policy: Policy): Promise<Decision>
  inFlight(): number
}

/** What it means where a check takes too long. */
const lateReasons = { jwt: 'keys-unavailable', 'aws-identity': 'aws-unavailable' } as const

/**
 * The kind of a token chooses its check, and the rules follow. As many as the limits say are decided at a time, each kind for
 * itself, so that an AWS STS that does not answer keeps no JWT waiting.
 */
export function createDecide({ now, limits }: DecideParts, { identify, applyRules }: TokenChecks): Decide {
  const inFlight = { jwt: 0, 'aws-identity': 0 }

  const decide = async (token: string, policy: Policy): Promise<Decision> => {
    const kind = detectKind(token, policy)
    if (!kind) throw rejectAwsKey(token) ?? new TokenRefusal('unknown-kind')
    if (inFlight[kind] >= limits.concurrent[kind]) throw new TokenRefusal('overloaded')
    inFlight[kind] += 1
    try {
      const limit = { sec: limits.verificationSec, reason: lateReasons[kind] }
      const identity = await waitWithin(limit, identify[kind](token, policy))
      return decideByRules(token, identity, policy)
    } catch (thrown) {
      return rememberRefusal(kind, thrown)
    } finally {
      inFlight[kind] -= 1
    }
  }
  return Object.assign(decide, { inFlight: () => inFlight.jwt + inFlight['aws-identity'] })

  function decideByRules(token: string, identity: Identity, policy: Policy): Decision {
    const until = computeEnd(identity)
    const { kind } = identity
    try {
      const { rule, headers } = applyRules(identity, policy)
      const verdict = { outcome: 'accepted', identity, rule: rule.name, headers } as const
      return { verdict, kind, until, ...toUse(token, identity, rule) }
    } catch (thrown) {
      if (!(thrown instanceof TokenRefusal && thrown.reason === 'no-rule')) throw thrown
      return { verdict: { outcome: 'refused', refusal: thrown }, kind, until } // a function of the identity and the policy
    }
  }

  /** Of refusals by a check only this one is remembered: it costs a request, and AWS STS changes its mind about no proof. */
  function rememberRefusal(kind: Identity['kind'], thrown: unknown): Decision {
    if (!(thrown instanceof TokenRefusal && thrown.reason === 'aws-refused')) throw thrown
    return { verdict: { outcome: 'refused', refusal: thrown }, kind, until: now() + limits.refusalSec * 1000 }
  }

  function computeEnd({ kind, expiresAt }: Identity): number {
    return kind === 'jwt' ? Math.min(expiresAt, now() + limits.cacheSec * 1000) : expiresAt
  }
}

function toUse(token: string, identity: Identity, { use }: AppliedRule['rule']): Pick<Decision, 'use'> {
  if (use === 'many times') return {}
  return { use: { digest: hash('sha256', identity.useKey ?? token), until: identity.expiresAt } }
}
