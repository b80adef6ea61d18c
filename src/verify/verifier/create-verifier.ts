import { hash } from 'node:crypto'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { createProofLanes, type RunInLane } from '../aws/proof-lanes.ts'
import { verifyCallerIdentity } from '../aws/verify-caller-identity.ts'
import type { KeyFinder } from '../jwt/key-finder.ts'
import { verifyJwt } from '../jwt/verify-jwt.ts'
import { hasRule, requireRule } from '../policy/match-rules.ts'
import { unknownRequest } from '../policy/request-condition.ts'
import { withoutRevokedKeys } from '../revocation/revocations.ts'
import { unknownSender } from '../sender/sender-facts.ts'
import { TokenRefusal, toRefusedVerdict, type Verdict } from '../verdict.ts'
import { createDecisionMemory } from './decision-memory.ts'
import { createNoIntrospection, createRequestGates, type GatedRequest } from './request-gates.ts'
import { detectKind } from './token-kind.ts'
import {
  defaultLimits,
  type Observation,
  type TokenChecks,
  type Verifier,
  type VerifierLimits,
  type VerifierParts,
} from './verifier.ts'

/** The parts that {@link createVerifier} needs. */
export interface VerifierSettings extends VerifierParts {
  /** The keys of issuers, for example from `createIssuerKeys`. */
  readonly keys: KeyFinder
  /** Sends requests to AWS STS; it follows no redirect. */
  readonly fetch: Fetch
}

/** Creates a verifier of JWTs and of AWS identity proofs, with the policy in force. */
export function createVerifier({ keys: published, fetch, ...parts }: VerifierSettings): Verifier {
  const { now, revocations, introspection } = parts
  const keys = revocations ? withoutRevokedKeys(published, revocations) : published
  const runProof = createProofLanes()
  return createTokenVerifier(parts, {
    identify: {
      jwt(token, { jwt: trusts, clockSkewSec }) {
        if (trusts.length === 0) throw new TokenRefusal('unknown-kind', { note: 'the policy accepts no JWTs' })
        return verifyJwt(token, { trusts, keys, now: now(), clockSkewSec })
      },
      async opaque(token, policy) {
        if (introspection) return introspection.identify(token, policy)
        throw createNoIntrospection()
      },
      async 'aws-identity'(token, policy) {
        const { aws: trust, clockSkewSec } = policy
        if (!trust) throw new TokenRefusal('unknown-kind', { note: 'the policy accepts no AWS identities' })
        const runInLane: RunInLane = (key, ask) => runProof(key, ask, (found) => hasRule(found, policy))
        return verifyCallerIdentity(token, { trust, now: now(), clockSkewSec, fetch, runInLane })
      },
    },
    requireRule,
  })
}

/** Creates a verifier from any checks. Whatever error a check throws, the token is refused. */
export function createTokenVerifier(parts: VerifierParts, checks: TokenChecks): Verifier {
  const limits = { ...defaultLimits, ...parts.limits }
  const { policy, now, revocations } = parts
  const memory = createDecisionMemory({ policy, now, limits, keysVersion: () => revocations?.keysVersion() }, checks)
  const gates = createRequestGates({ ...parts, limits })
  const observe = (kind: Observation['kind'], verdict: Verdict, source: Observation['source'], startedAt: number) => {
    parts.observe?.({ verdict, source, kind, ms: performance.now() - startedAt })
    return verdict
  }
  return {
    find(token, collectFacts = toUnknownRequest) {
      if (typeof token !== 'string') return undefined
      const startedAt = performance.now()
      const decision = memory.find(hash('sha256', token), collectFacts)
      if (!decision || !gates.mayAnswerAtOnce(decision)) return undefined
      const verdict = gates.apply({ decision, token, sender: unknownSender, counting: 'take', source: 'cache' })
      if (verdict instanceof Promise) return undefined // unreachable: mayAnswerAtOnce has excluded promises
      return observe(decision.kind, verdict, 'cache', startedAt)
    },
    async verify(token, collectFacts = toUnknownRequest, sender = unknownSender) {
      const startedAt = performance.now()
      try {
        refuseForm(token, limits)
        const decided = memory.decide(token, hash('sha256', token), collectFacts)
        const { decision, source } = decided instanceof Promise ? await decided : decided
        const request: GatedRequest = { decision, token, sender, counting: 'takeShared', source }
        const gated = gates.apply(request)
        const verdict = gated instanceof Promise ? await gated : gated
        return observe(decision.kind, verdict, request.source, startedAt)
      } catch (thrown) {
        const kind = typeof token === 'string' ? detectKind(token, parts.policy()) : undefined
        return observe(kind, toRefusedVerdict(thrown), 'verification', startedAt)
      }
    },
    state: memory.state,
  }
}

const toUnknownRequest = () => unknownRequest

/** Refuses a token that is not a text or is too long. A caller in JavaScript may pass `undefined` for a missing header. */
function refuseForm(token: unknown, { tokenBytes }: VerifierLimits): void {
  if (typeof token !== 'string') throw new TokenRefusal('malformed', { note: 'the token is not a string' })
  const { length } = token
  if (length <= tokenBytes) return
  throw new TokenRefusal('malformed', { note: `it has ${length} characters, which is more than ${tokenBytes}` })
}
