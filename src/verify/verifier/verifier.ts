// Folder: the decision about one token: its kind, its check, the rules, its use, and the memory of decisions.

import { maxProofs } from '../aws/proof-lanes.ts'
import type { ProviderIntrospection } from '../introspection/provider-introspection.ts'
import type { Policy, PolicyRule } from '../policy/policy.ts'
import type { RequestFacts } from '../policy/request-condition.ts'
import type { ReplayStore } from '../replay/memory-replay-store.ts'
import type { RequestLimits } from '../request-limits.ts'
import type { Revocations } from '../revocation/revocations.ts'
import type { TokenSender } from '../sender/sender-facts.ts'
import type { Identity, Verdict } from '../verdict.ts'

/** Decides whether tokens pass, by the policy in force. */
export interface Verifier {
  /**
   * The remembered verdict on a token, which counts like any other; `undefined` if the token has to be verified, is for single use, or
   * is bound, so that its sender has to prove something.
   */
  find(token: string, findRequest?: FindRequest): Verdict | undefined
  /**
   * Never rejects: an unexpected error refuses the token as a `defect`. Without `findRequest`, a rule that asks something of the request
   * does not hold, and without `sender` a token that is bound to a certificate or a key does not pass.
   */
  verify(token: string, findRequest?: FindRequest, sender?: TokenSender): Promise<Verdict>
  state(): VerifierState
}

/** Reads what the gateway says of the request that the token came with. It is called only where a rule asks for it. */
export type FindRequest = () => RequestFacts

/** How much a verifier remembers and does at the moment, for metrics. */
export interface VerifierState {
  readonly cacheEntries: number
  /** The number of verifications under way. */
  readonly inFlight: number
}

/** One verdict, for metrics and logs. It holds no token. */
export interface Observation {
  readonly verdict: Verdict
  /** `request`: the request had no token to verify. */
  readonly source: 'cache' | 'verification' | 'request'
  /** `undefined` if the form of the token does not tell. */
  readonly kind: Identity['kind'] | undefined
  readonly ms: number
}

/** The bounds on what a verifier remembers, and on how much it does at once. */
export interface VerifierLimits {
  /** A longer token is `malformed`. */
  readonly tokenBytes: number
  /** How many tokens are remembered; the oldest one that was not used lately is dropped first. */
  readonly cacheEntries: number
  /**
   * How long the tokens that are remembered may be together. Their claims take more, parsed: twice as much where they are texts, and
   * seventeen times where somebody fills a token with empty objects.
   */
  readonly cacheBytes: number
  /**
   * In seconds: how long a JWT is accepted without looking at its issuer's keys again. An AWS identity is remembered until it ends,
   * because AWS STS is asked once per token.
   */
  readonly cacheSec: number
  /** In seconds: how long AWS STS is not asked again about a proof that it has refused. */
  readonly refusalSec: number
  /** Tokens of each kind that are verified at the same time, or wait for it; one more is `overloaded`. */
  readonly concurrent: Readonly<Record<Identity['kind'], number>>
  /** In seconds: after this, the keys, AWS STS or the replay store count as unavailable. */
  readonly verificationSec: number
  readonly replaySec: number
}

/** The limits of a verifier whose operator sets none. */
export const defaultLimits: VerifierLimits = {
  tokenBytes: 16_384,
  cacheEntries: 10_000,
  cacheBytes: 32 * 1024 * 1024,
  cacheSec: 60,
  refusalSec: 60,
  concurrent: { jwt: 1_000, opaque: 1_000, 'aws-identity': maxProofs },
  verificationSec: 15,
  replaySec: 5,
}

/** What a verifier asks: the policy, its records of used tokens, revocations and providers. */
export interface VerifierParts {
  /** The policy in force. After a change it is another object, which voids every remembered decision. */
  readonly policy: () => Policy
  readonly replay: ReplayStore
  /** Remembers the proofs of bound tokens; `replay` does it if absent. */
  readonly proofs?: ReplayStore
  /** The tokens that are refused although they are good; none if absent. */
  readonly revocations?: Revocations
  /** Asks providers, where the policy says so; if absent, such tokens do not pass. */
  readonly introspection?: Pick<ProviderIntrospection, 'isKnownActive' | 'requireActive' | 'identify'>
  /** Bounds how often a caller passes; nothing does if absent. */
  readonly requestLimits?: Pick<RequestLimits, 'take' | 'takeShared'>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly limits?: Partial<VerifierLimits>
  /** Receives every verdict. It must not throw. */
  readonly observe?: (observation: Observation) => void
}

/** How tokens are checked. Each throws a `TokenRefusal`; anything else that is thrown is a defect. */
export interface TokenChecks {
  readonly identify: Readonly<Record<Identity['kind'], (token: string, policy: Policy) => Identity | Promise<Identity>>>
  /** The first rule that lets an identity pass, and the headers that name the caller. */
  readonly applyRules: (identity: Identity, policy: Policy, request: RequestFacts | 'any') => AppliedRule
}

/** The rule that lets the caller pass. */
export interface AppliedRule {
  readonly rule: Pick<PolicyRule, 'name' | 'use' | 'limit' | 'introspection'>
  readonly headers: Readonly<Record<string, string>>
}
