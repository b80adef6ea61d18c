// Holds the checks that each request passes after the decision about its token, which may come from the memory.

import type { RequestLimits } from '../request-limits.ts'
import type { TokenSender } from '../sender/sender-facts.ts'
import { isProofRequired, verifySender } from '../sender/verify-sender.ts'
import { type Identity, TokenRefusal, toRefusedVerdict, type Verdict } from '../verdict.ts'
import { waitWithin } from '../wait-within.ts'
import type { Decision } from './token-decisions.ts'
import type { Observation, VerifierLimits, VerifierParts } from './verifier.ts'

/** A request whose token was decided, before the limits and the provider. */
export interface GatedRequest {
  readonly decision: Decision
  readonly token: string
  readonly sender: TokenSender
  /** With `take`, the other processes learn of the request later; with `takeShared`, their counts are read first. */
  readonly counting: keyof Pick<RequestLimits, 'take' | 'takeShared'>
  /** The source of the decision; `verification` as soon as the provider is asked. */
  source: Observation['source']
}

/**
 * Creates the gates, in this order:
 * 1. the sender's proof, also for a refused token: a thief without the proof learns nothing about rules and revocations,
 * 2. the revocations, which are local: no request is sent about a revoked token,
 * 3. the provider, whether the token is active, before the request is counted: a stolen token that is no longer active does not use up its
 * owner's rate,
 * 4. the owner's limit, before the use: a single-use token that comes too soon is not used up,
 * 5. the single use, last: only a request that passes uses the token.
 */
export function createRequestGates(parts: GateParts): RequestGates {
  const { introspection } = parts
  const ofEveryToken: readonly Gate[] = [createProofGate(parts)]
  const gates: Readonly<Record<Verdict['outcome'], readonly Gate[]>> = {
    accepted: [
      ...ofEveryToken,
      createRevocationGate(parts),
      createActivityGate(parts),
      createLimitGate(parts),
      createUseGate(parts),
    ],
    refused: ofEveryToken,
  }
  return {
    mayAnswerAtOnce: ({ use, question, verdict: { identity } }) =>
      !use && !identity?.binding && (!question || (introspection?.isKnownActive(question) ?? false)),
    apply: (request) => applyGates(gates[request.decision.verdict.outcome], request),
  }
}

/** The gates that every request passes, even if the decision about its token is cached. */
interface RequestGates {
  /** Whether every gate answers synchronously and no gate needs the request. Nothing is counted here. */
  mayAnswerAtOnce(decision: Decision): boolean
  /**
   * The verdict on one request: the decision's, or the refusal of the first gate that refuses. It is a promise only if a gate has to wait.
   * @throws {TokenRefusal} if the use of a token cannot be recorded.
   */
  apply(request: GatedRequest): Verdict | Promise<Verdict>
}

interface GateParts extends Omit<VerifierParts, 'limits'> {
  readonly limits: Pick<VerifierLimits, 'replaySec'>
}

/** Why one gate refuses a request; `undefined` if it does not. */
type Gate = (request: GatedRequest) => GateAnswer | Promise<GateAnswer>

type GateAnswer = TokenRefusal | undefined

/** Creates the gate of the sender's proof, which is checked for each request because each has its own. */
function createProofGate({ now, replay, proofs = replay, limits }: GateParts): Gate {
  const limit = toReplayLimit(limits)
  const findProblem = async (identity: Identity, { token, sender }: GatedRequest) => {
    try {
      await waitWithin(limit, verifySender(token, identity, sender, { now: now(), proofs }))
      return undefined
    } catch (thrown) {
      return toRefusedVerdict(thrown).refusal
    }
  }
  return (request) => {
    const { identity } = request.decision.verdict
    return identity && isProofRequired(identity, request.sender) ? findProblem(identity, request) : undefined
  }
}

function toReplayLimit({ replaySec }: GateParts['limits']) {
  return { sec: replaySec, reason: 'replay-store-unavailable' } as const
}

function createRevocationGate({ revocations }: GateParts): Gate {
  return ({ decision: { verdict } }) => verdict.identity && revocations?.findRefusal(verdict.identity)
}

function createActivityGate({ introspection }: GateParts): Gate {
  const findProblem = async (question: NonNullable<Decision['question']>, token: string) => {
    if (!introspection) return createNoIntrospection()
    try {
      await introspection.requireActive(token, question)
      return undefined
    } catch (thrown) {
      return toRefusedVerdict(thrown).refusal
    }
  }
  return (request) => {
    const { question } = request.decision
    if (!question || introspection?.isKnownActive(question)) return undefined
    request.source = 'verification'
    return findProblem(question, request.token)
  }
}

/** Creates the refusal by a verifier without introspection of a token whose provider has to be asked. */
export function createNoIntrospection(): TokenRefusal {
  return new TokenRefusal('introspection-unavailable', { note: 'this verifier has no introspection' })
}

function createLimitGate({ requestLimits }: GateParts): Gate {
  return ({ decision: { limit }, counting }) => (limit ? requestLimits?.[counting](limit) : undefined)
}

/**
 * Creates the gate of single use. Requests that wait for one decision about a single-use token use it one after the other, so only one
 * passes.
 */
function createUseGate({ replay, limits }: GateParts): Gate {
  const limit = toReplayLimit(limits)
  const recordUse = async ({ digest, until }: NonNullable<Decision['use']>) => {
    const count = await waitWithin(limit, replay.use(digest, until))
    return count === 'first' ? undefined : new TokenRefusal('replayed')
  }
  return ({ decision: { use } }) => use && recordUse(use)
}

/** Applies gates in their order until one refuses. @param from The index of the first gate to apply. */
function applyGates(gates: readonly Gate[], request: GatedRequest, from = 0): Verdict | Promise<Verdict> {
  const { verdict } = request.decision
  for (let at = from; at < gates.length; at += 1) {
    const refusal = gates[at]!(request)
    if (refusal instanceof Promise)
      return refusal.then((late) => (late ? toRefused(verdict, late) : applyGates(gates, request, at + 1)))
    if (refusal) return toRefused(verdict, refusal)
  }
  return verdict
}

function toRefused({ identity }: Verdict, refusal: TokenRefusal): Verdict {
  return { outcome: 'refused', refusal, identity }
}
