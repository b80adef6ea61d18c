import { hash } from 'node:crypto'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import { createProofLanes, type RunInLane } from '../aws/proof-lanes.ts'
import { verifyCallerIdentity } from '../aws/verify-caller-identity.ts'
import type { ProviderQuestion } from '../introspection/provider-introspection.ts'
import type { KeyFinder } from '../jwt/key-finder.ts'
import { verifyJwtAtOnce } from '../jwt/verify-jwt.ts'
import { applyPolicy, hasRule } from '../policy/apply-policy.ts'
import { unknownRequest } from '../policy/request-condition.ts'
import type { ReplayStore } from '../replay/memory-replay-store.ts'
import { type Revocations, withoutRevokedKeys } from '../revocation/revocations.ts'
import { type TokenSender, unknownSender } from '../sender/sender-facts.ts'
import { isProofRequired, verifySender } from '../sender/verify-sender.ts'
import { type Identity, TokenRefusal, toRefusedVerdict, type Verdict } from '../verdict.ts'
import { waitWithin } from '../wait-within.ts'
import { createDecisionMemory, type Decision, detectKind } from './decision-memory.ts'
import {
  defaultLimits,
  type Observation,
  type TokenChecks,
  type Verifier,
  type VerifierLimits,
  type VerifierParts,
} from './verifier.ts'

/** The parts of {@link createVerifier}. */
export interface VerifierSettings extends VerifierParts {
  /** The keys of issuers, for example from `createIssuerKeys`. */
  readonly keys: KeyFinder
  /** Sends requests to AWS STS; it follows no redirect. */
  readonly fetch: Fetch
}

/** Creates a verifier of JWTs and of proofs of an AWS identity, by the policy in force. */
export function createVerifier({ keys: published, fetch, ...parts }: VerifierSettings): Verifier {
  const { now, revocations, introspection } = parts
  const keys = revocations ? withoutRevokedKeys(published, revocations) : published
  const runProof = createProofLanes()
  return createTokenVerifier(parts, {
    identify: {
      jwt(token, { jwt: trusts, clockSkewSec }) {
        if (trusts.length === 0) throw new TokenRefusal('unknown-kind', { note: 'the policy accepts no JWTs' })
        return verifyJwtAtOnce(token, { trusts, keys, now: now(), clockSkewSec })
      },
      async opaque(token, policy) {
        if (introspection) return introspection.identify(token, policy)
        throw new TokenRefusal('introspection-unavailable', { note: 'this verifier has no introspection' })
      },
      async 'aws-identity'(token, policy) {
        const { aws: trust, clockSkewSec } = policy
        if (!trust) throw new TokenRefusal('unknown-kind', { note: 'the policy accepts no AWS identities' })
        const runInLane: RunInLane = (key, ask) => runProof(key, ask, (found) => hasRule(found, policy))
        return verifyCallerIdentity(token, { trust, now: now(), clockSkewSec, fetch, runInLane })
      },
    },
    applyRules: applyPolicy,
  })
}

/** Creates a verifier from any checks. Whatever a check throws refuses the token. */
export function createTokenVerifier(parts: VerifierParts, checks: TokenChecks): Verifier {
  const limits = { ...defaultLimits, ...parts.limits }
  const { policy, now, revocations, requestLimits, introspection } = parts
  const memory = createDecisionMemory({ policy, now, limits, keysVersion: () => revocations?.keysVersion() }, checks)
  const observe = (kind: Observation['kind'], verdict: Verdict, source: Observation['source'], startedAt: number) => {
    parts.observe?.({ verdict, source, kind, ms: performance.now() - startedAt })
    return verdict
  }
  return {
    find(token, readRequest = readNothing) {
      if (typeof token !== 'string') return undefined
      const startedAt = performance.now()
      const decision = memory.find(hash('sha256', token), readRequest)
      if (!decision || decision.use || decision.verdict.identity?.binding) return undefined
      if (decision.question && !introspection?.isKnownActive(decision.question)) return undefined
      const verdict = revocations ? applyRevocations(decision.verdict, revocations) : decision.verdict
      const limited = isPassing(verdict) && decision.limit && requestLimits?.take(decision.limit)
      return observe(decision.kind, limited ? toLimited(verdict, limited) : verdict, 'cache', startedAt)
    },
    async verify(token, readRequest = readNothing, sender = unknownSender) {
      const startedAt = performance.now()
      try {
        refuseForm(token, limits)
        const decided = memory.decide(token, hash('sha256', token), readRequest)
        const { decision, source } = decided instanceof Promise ? await decided : decided
        const known = revocations ? applyRevocations(decision.verdict, revocations) : decision.verdict
        const isBound = known.identity && isProofRequired(known.identity, sender)
        const verdict = isBound ? await requireProof(known, known.identity, { token, sender, limits, parts }) : known
        const { question } = decision
        const isAsked = isPassing(verdict) && question && !introspection?.isKnownActive(question)
        const active = isAsked ? await requireActive(verdict, token, question, introspection) : verdict
        const limited = isPassing(active) && decision.limit && (await requestLimits?.takeShared(decision.limit))
        const passing = limited ? toLimited(active, limited) : active
        const final = isPassing(passing) && decision.use ? await recordUse(decision, parts.replay, limits) : passing
        return observe(decision.kind, final, isAsked ? 'verification' : source, startedAt)
      } catch (thrown) {
        const kind = typeof token === 'string' ? detectKind(token, parts.policy()) : undefined
        return observe(kind, toRefusedVerdict(thrown), 'verification', startedAt)
      }
    },
    state: memory.state,
  }
}

const readNothing = () => unknownRequest

/** A caller without types may pass `undefined` for a missing header. */
function refuseForm(token: unknown, { tokenBytes }: VerifierLimits): void {
  if (typeof token !== 'string') throw new TokenRefusal('malformed', { note: 'the token is not a string' })
  const { length } = token
  if (length <= tokenBytes) return
  throw new TokenRefusal('malformed', { note: `it has ${length} characters, which is more than ${tokenBytes}` })
}

/** For each request, because a revocation counts for decisions that are remembered too. */
function applyRevocations(verdict: Verdict, revocations: Revocations): Verdict {
  if (verdict.outcome === 'refused') return verdict
  const { identity } = verdict
  const refusal = revocations.refuse(identity)
  return refusal ? { outcome: 'refused', refusal, identity } : verdict
}

interface SenderParts {
  readonly token: string
  readonly sender: TokenSender
  readonly limits: VerifierLimits
  readonly parts: VerifierParts
}

/** Checks the proof of each request, because it is only for that one. A sender without it learns nothing of the rules either. */
async function requireProof(
  verdict: Verdict,
  identity: Identity,
  { token, sender, limits, parts: { now, replay, proofs = replay } }: SenderParts,
): Promise<Verdict> {
  const limit = { sec: limits.replaySec, reason: 'replay-store-unavailable' } as const
  try {
    await waitWithin(limit, verifySender(token, identity, sender, { now: now(), proofs }))
    return verdict
  } catch (thrown) {
    return { ...toRefusedVerdict(thrown), identity }
  }
}

/** Asks the provider before a request is counted, so that a token that was stolen and revoked takes nothing from its owner. */
async function requireActive(
  verdict: Verdict,
  token: string,
  question: ProviderQuestion,
  introspection: VerifierParts['introspection'],
): Promise<Verdict> {
  try {
    if (!introspection)
      throw new TokenRefusal('introspection-unavailable', { note: 'this verifier has no introspection' })
    await introspection.requireActive(token, question)
    return verdict
  } catch (thrown) {
    return { ...toRefusedVerdict(thrown), ...(verdict.identity && { identity: verdict.identity }) }
  }
}

function isPassing({ outcome }: Verdict): boolean {
  return outcome === 'accepted'
}

/** A single-use token that comes too soon is not used up. */
function toLimited({ identity }: Verdict, refusal: TokenRefusal): Verdict {
  return { outcome: 'refused', refusal, ...(identity && { identity }) }
}

/** Requests that wait for one decision about a single-use token use it one after the other, so that only one passes. */
async function recordUse({ verdict, use }: Decision, replay: ReplayStore, limits: VerifierLimits): Promise<Verdict> {
  if (!use) return verdict
  const limit = { sec: limits.replaySec, reason: 'replay-store-unavailable' } as const
  const count = await waitWithin(limit, replay.use(use.digest, use.until))
  if (count === 'first') return verdict
  const { identity } = verdict
  return { outcome: 'refused', refusal: new TokenRefusal('replayed'), ...(identity && { identity }) }
}
