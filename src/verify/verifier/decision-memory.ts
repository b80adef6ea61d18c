import type { Policy } from '../policy/policy.ts'
import { createDecide } from './decide.ts'
import type { Decision } from './decision.ts'
import { DecisionCache } from './decision-cache.ts'
import type { VerifierLimits } from './limits.ts'
import type { VerifierState } from './verifier.ts'
import type { TokenChecks } from './verifier-parts.ts'

interface MemoryParts {
  readonly policy: () => Policy
  readonly now: () => number
  readonly limits: VerifierLimits
}

/** What was decided under one policy, and what is being decided. */
interface Era {
  readonly policy: Policy
  readonly cache: DecisionCache
  readonly pending: Map<string, Promise<Decision>>
}

/** Decisions by the digest of the token: one at a time for each token, and none of an earlier policy. */
export interface DecisionMemory {
  find(digest: string): Decision | undefined
  /** @throws {TokenRefusal} for what is not remembered; whatever a check throws. */
  decide(token: string, digest: string): Promise<{ decision: Decision; source: 'cache' | 'verification' }>
  state(): VerifierState
}

/** Starts with nothing. */
export function createDecisionMemory({ policy, now, limits }: MemoryParts, checks: TokenChecks): DecisionMemory {
  const startEra = (): Era => ({
    policy: policy(),
    cache: new DecisionCache(limits),
    pending: new Map(),
  })
  let era = startEra()
  const decideNew = createDecide({ now, limits }, checks)
  /** A new policy forgets all: also decisions that are under way, which keep the maps of the old one. */
  const currentEra = () => {
    if (era.policy !== policy()) era = startEra()
    return era
  }
  return {
    find: (digest) => currentEra().cache.find(digest, now()),
    async decide(token, digest) {
      const current = currentEra()
      const known = current.cache.find(digest, now())
      if (known) return { decision: known, source: 'cache' }
      const part = { digest, bytes: token.length }
      const decision = await joinPending(current, part, () => decideNew(token, current.policy))
      return { decision, source: 'verification' }
    },
    state: () => ({ cacheEntries: currentEra().cache.size, inFlight: decideNew.inFlight() }),
  }

  function joinPending(
    { cache, pending }: Era,
    { digest, bytes }: { readonly digest: string; readonly bytes: number },
    decide: () => Promise<Decision>,
  ): Promise<Decision> {
    const begun = pending.get(digest)
    if (begun) return begun
    const work = decide()
      .then((decision) => {
        cache.add(digest, decision, { now: now(), bytes })
        return decision
      })
      .finally(() => pending.delete(digest))
    pending.set(digest, work)
    return work
  }
}
