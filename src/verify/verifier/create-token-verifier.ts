import { hash } from 'node:crypto'
import type { ReplayStore } from '../replay/replay-store.ts'
import { TokenRefusal } from '../token-refusal.ts'
import type { Verdict } from '../verdict.ts'
import type { Decision } from './decision.ts'
import { createDecisionMemory } from './decision-memory.ts'
import { detectKind } from './detect-kind.ts'
import { defaultLimits, type VerifierLimits } from './limits.ts'
import type { Observation, Verifier } from './verifier.ts'
import type { TokenChecks, VerifierParts } from './verifier-parts.ts'
import { waitWithin } from './wait-within.ts'

/** A verifier over any checks. What one of them throws refuses the token, whatever it is. */
export function createTokenVerifier(parts: VerifierParts, checks: TokenChecks): Verifier {
  const limits = { ...defaultLimits, ...parts.limits }
  const memory = createDecisionMemory({ policy: parts.policy, now: parts.now, limits }, checks)
  const observe = (kind: Observation['kind'], verdict: Verdict, source: Observation['source'], startedAt: number) => {
    parts.observe?.({ verdict, source, kind, ms: performance.now() - startedAt })
    return verdict
  }
  return {
    find(token) {
      if (typeof token !== 'string') return undefined
      const startedAt = performance.now()
      const decision = memory.find(hash('sha256', token))
      if (!decision || decision.use) return undefined
      return observe(decision.kind, decision.verdict, 'cache', startedAt)
    },
    async verify(token) {
      const startedAt = performance.now()
      try {
        refuseForm(token, limits)
        const { decision, source } = await memory.decide(token, hash('sha256', token))
        return observe(decision.kind, await countUse(decision, parts.replay, limits), source, startedAt)
      } catch (thrown) {
        const kind = typeof token === 'string' ? detectKind(token, parts.policy()) : undefined
        return observe(kind, toRefusedVerdict(thrown), 'verification', startedAt)
      }
    },
    state: memory.state,
  }
}

/** What is given by a caller without types may be a header that is missing. */
function refuseForm(token: unknown, { tokenBytes }: VerifierLimits): void {
  if (typeof token !== 'string') throw new TokenRefusal('malformed', { note: 'it is no text' })
  const { length } = token
  if (length <= tokenBytes) return
  throw new TokenRefusal('malformed', { note: `it has ${length} characters, which is more than ${tokenBytes}` })
}

/** Requests for the same token that wait for one decision use it one after the other, so that one of them passes. */
async function countUse({ verdict, use }: Decision, replay: ReplayStore, limits: VerifierLimits): Promise<Verdict> {
  if (!use) return verdict
  const limit = { sec: limits.replaySec, reason: 'replay-store-unavailable' } as const
  const count = await waitWithin(limit, replay.use(use.digest, use.until))
  return count === 'first' ? verdict : toRefusedVerdict(new TokenRefusal('replayed'))
}

/** Fails closed: what is no refusal is a defect, which the operator's log names. */
function toRefusedVerdict(thrown: unknown): Verdict {
  if (thrown instanceof TokenRefusal) return { outcome: 'refused', refusal: thrown }
  const note = thrown instanceof Error ? thrown.name : typeof thrown
  return { outcome: 'refused', refusal: new TokenRefusal('defect', { note, cause: thrown }) }
}
