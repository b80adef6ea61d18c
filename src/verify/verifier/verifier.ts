// Folder: the decision about one token: its kind, its check, the rules, its use, and the cache of decisions.

import { maxProofs } from '../aws/proof-lanes.ts'
import type { ProviderIntrospection } from '../introspection/provider-introspection.ts'
import { longestJwtBytes } from '../jwt/parse-signed-jwt.ts'
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
   * The cached verdict on a token, which counts as a request; `undefined` if the token must be verified, is for single use, or is bound, so
   * that its sender must prove possession.
   */
  find(token: string, collectFacts?: CollectFacts): Verdict | undefined
  /**
   * Never rejects: an unexpected error is a refusal with the reason `defect`. Without `collectFacts`, a rule with a condition on the request
   * does not match. Without `sender`, a token that is bound to a certificate or a key is refused.
   */
  verify(token: string, collectFacts?: CollectFacts, sender?: TokenSender): Promise<Verdict>
  state(): VerifierState
}

/** Reads the gateway's description of the request that contained the token. It is called only if a rule needs it. */
export type CollectFacts = () => RequestFacts

/** The size of a verifier's cache and its work in progress, for metrics. */
export interface VerifierState {
  readonly cacheEntries: number
  /** The number of pending verifications. */
  readonly inFlight: number
}

/** One verdict, for metrics and logs. It contains no token. */
export interface Observation {
  readonly verdict: Verdict
  /** `request`: the request had no token to verify. */
  readonly source: 'cache' | 'verification' | 'request'
  /** `undefined` if the form of the token shows no kind. */
  readonly kind: Identity['kind'] | undefined
  readonly ms: number
}

/** The limits of a verifier's cache and of its concurrent work. */
export interface VerifierLimits {
  /** A longer token is refused as `malformed`. */
  readonly tokenBytes: number
  /** The most cached tokens; the oldest one that was not used recently is dropped first. */
  readonly cacheEntries: number
  /**
   * The length of all cached tokens together. Their parsed claims take more memory: twice as much for texts, and seventeen times as much
   * for a token that is full of empty objects.
   */
  readonly cacheBytes: number
  /**
   * In seconds: how long a JWT is accepted without checking its issuer's keys again. An AWS identity is cached until it expires, because
   * AWS STS is asked once per token.
   */
  readonly cacheSec: number
  /** In seconds: how long a refusal by AWS STS is cached. */
  readonly refusalSec: number
  /** The concurrent verifications of each kind, including waiting ones; one more is `overloaded`. */
  readonly concurrent: Readonly<Record<Identity['kind'], number>>
  /** In seconds: after this time, the keys, AWS STS or the replay store count as unavailable. */
  readonly verificationSec: number
  readonly replaySec: number
}

/** The limits of a verifier whose operator sets none. */
export const defaultLimits: VerifierLimits = {
  tokenBytes: longestJwtBytes,
  cacheEntries: 10_000,
  cacheBytes: 32 * 1024 * 1024,
  cacheSec: 60,
  refusalSec: 60,
  concurrent: { jwt: 1_000, opaque: 1_000, 'aws-identity': maxProofs },
  verificationSec: 15,
  replaySec: 5,
}

/** The parts of a verifier: the policy, and its records of used tokens, revocations and providers. */
export interface VerifierParts {
  /** The policy in force. Each change gives a new object, which empties the cache. */
  readonly policy: () => Policy
  readonly replay: ReplayStore
  /** Records the proofs of bound tokens; `replay` does if absent. */
  readonly proofs?: ReplayStore
  /** The revoked tokens; if absent, no token is revoked. */
  readonly revocations?: Revocations
  /** Asks providers if the policy requires it; if absent, such tokens are refused. */
  readonly introspection?: Pick<ProviderIntrospection, 'isKnownActive' | 'requireActive' | 'identify'>
  /** Limits the rate of each caller; absent without a limit. */
  readonly requestLimits?: Pick<RequestLimits, 'take' | 'takeShared'>
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly limits?: Partial<VerifierLimits>
  /** Receives every verdict. It must not throw. */
  readonly observe?: (observation: Observation) => void
}

/** The checks of tokens. Each throws a `TokenRefusal`; any other error is a defect. */
export interface TokenChecks {
  readonly identify: Readonly<Record<Identity['kind'], (token: string, policy: Policy) => Identity | Promise<Identity>>>
  /** The first rule that lets an identity pass, and the headers that name the caller. */
  readonly requireRule: (identity: Identity, policy: Policy, request: RequestFacts | 'any') => AppliedRule
}

/** The rule that lets the caller pass. */
export interface AppliedRule {
  readonly rule: Pick<PolicyRule, 'name' | 'use' | 'limit' | 'introspection'>
  readonly headers: Readonly<Record<string, string>>
}
