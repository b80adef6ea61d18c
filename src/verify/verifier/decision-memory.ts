import type { Policy } from '../policy/policy.ts'
import { toRefusedVerdict } from '../verdict.ts'
import { DecisionCache } from './decision-cache.ts'
import { createTokenDecisions, type Decision, type TokenDecision } from './token-decisions.ts'
import type { CollectFacts, TokenChecks, VerifierLimits, VerifierState } from './verifier.ts'

/** Creates an empty memory of the decisions about tokens. */
export function createDecisionMemory(
  { policy, keysVersion, now, limits }: MemoryParts,
  checks: TokenChecks,
): DecisionMemory {
  const createEra = () => new Era(policy(), now, limits)
  let [era, version] = [createEra(), keysVersion()]
  const decisions = createTokenDecisions({ now, limits }, checks)
  /** A new policy empties the cache, including pending decisions: they still write into the maps of the old policy. */
  const ensureEra = () => {
    const current = keysVersion()
    if (era.policy !== policy() || version !== current) era = createEra()
    version = current
    return era
  }
  return {
    find(digest, collectFacts) {
      const known = ensureEra().find(digest)
      return known && toDecisionFor(known, collectFacts)
    },
    decide(token, digest, collectFacts) {
      const current = ensureEra()
      const known = current.find(digest)
      if (known) return { decision: toDecisionFor(known, collectFacts), source: 'cache' }
      const decided = current.decideOnce({ digest, bytes: token.length }, () => decisions.decide(token, current.policy))
      const finish = (found: TokenDecision): Decided => ({
        decision: toDecisionFor(found, collectFacts),
        source: 'verification',
      })
      return decided instanceof Promise ? decided.then(finish) : finish(decided)
    },
    state: () => ({ cacheEntries: ensureEra().size, inFlight: decisions.inFlight() }),
  }
}

interface MemoryParts {
  readonly policy: () => Policy
  /** A new value makes every decision invalid, because the key of an accepted token may have been revoked. */
  readonly keysVersion: () => number | undefined
  readonly now: () => number
  readonly limits: VerifierLimits
}

/** Cached decisions by the digest of the token. There is at most one pending decision for each token, and none under an earlier policy. */
interface DecisionMemory {
  find(digest: string, collectFacts: CollectFacts): Decision | undefined
  /**
   * Decides synchronously if nothing has to be awaited.
   * @throws {TokenRefusal} for a refusal that is not cached, or whatever a check throws.
   */
  decide(token: string, digest: string, collectFacts: CollectFacts): Decided | Promise<Decided>
  state(): VerifierState
}

interface Decided {
  readonly decision: Decision
  readonly source: 'cache' | 'verification'
}

/** The decisions under one policy, finished and pending. */
class Era {
  readonly policy: Policy
  readonly #now: () => number
  readonly #accepted: DecisionCache<TokenDecision>
  /** A separate cache, so that refusals, which anybody can cause in any number, displace no accepted token. */
  readonly #refused: DecisionCache<TokenDecision>
  readonly #pending = new Map<string, Promise<TokenDecision>>()

  constructor(policy: Policy, now: () => number, limits: VerifierLimits) {
    this.policy = policy
    this.#now = now
    this.#accepted = new DecisionCache(limits)
    this.#refused = new DecisionCache(limits)
  }

  get size(): number {
    return this.#accepted.size + this.#refused.size
  }

  find(digest: string): TokenDecision | undefined {
    return this.#accepted.find(digest, this.#now()) ?? this.#refused.find(digest, this.#now())
  }

  /** Waits for the pending decision about the same token, or starts one, which is pending if it is asynchronous. */
  decideOnce(
    { digest, bytes }: { readonly digest: string; readonly bytes: number },
    decide: () => TokenDecision | Promise<TokenDecision>,
  ): TokenDecision | Promise<TokenDecision> {
    const begun = this.#pending.get(digest)
    if (begun) return begun
    const keep = (decision: TokenDecision) => {
      const memory = decision.verdict.outcome === 'accepted' ? this.#accepted : this.#refused
      memory.add(digest, decision, { now: this.#now(), bytes: bytes + countAnswerBytes(decision) })
      return decision
    }
    const decided = decide()
    if (!(decided instanceof Promise)) return keep(decided)
    const work = decided.then(keep).finally(() => this.#pending.delete(digest))
    this.#pending.set(digest, work)
    return work
  }
}

/** Counts the bytes of the claims that a decision holds besides its token: a provider may give a long answer about a short token. */
function countAnswerBytes({ kind, verdict: { identity } }: Decision): number {
  return kind === 'opaque' && identity ? JSON.stringify(identity.claims).length : 0
}

/** Refuses a request whose description cannot be read, because the callers of this module expect no error. */
function toDecisionFor(decision: TokenDecision, collectFacts: CollectFacts): Decision {
  if (!decision.decideFor) return decision
  try {
    return decision.decideFor(collectFacts())
  } catch (thrown) {
    return { verdict: toRefusedVerdict(thrown), kind: decision.kind, until: 0 }
  }
}
