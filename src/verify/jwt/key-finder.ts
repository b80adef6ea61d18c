import type { JwtTrust } from '../policy/policy.ts'
import type { KeyHeader, PublishedKey } from './key-set.ts'

/** The result of a search for a token's key. `says` is a sentence for the operator. */
export type KeyLookup =
  | { readonly outcome: 'found'; readonly key: PublishedKey }
  /** The issuer has no such key, or more than one that fits. */
  | { readonly outcome: 'unknown'; readonly says: string }
  /** The operator has revoked the key. */
  | { readonly outcome: 'revoked'; readonly says: string }
  /** The issuer gave no good answer, so nobody can tell now. */
  | { readonly outcome: 'unavailable'; readonly says: string }

/** Facts about one issuer's keys, for metrics and readiness. Times are epoch milliseconds. */
export interface IssuerState {
  readonly issuer: string
  /** `kept`: the last request failed, and earlier keys are used. `none`: tokens of this issuer cannot be verified. */
  readonly standing: 'fresh' | 'kept' | 'none'
  /** The number of the issuer's keys that can be used. */
  readonly keys: number
  /** Why the other keys are not used. */
  readonly unused: readonly string[]
  /** When the keys were fetched; `undefined` if they never were. */
  readonly fetchedAt: number | undefined
  /** Removed by the next successful request. */
  readonly failure: { readonly at: number; readonly says: string } | undefined
  /** The number of requests to the issuer. */
  readonly fetches: number
}

/** Finds keys of issuers, which it caches and renews. Nothing needs to be closed. */
export interface KeyFinder {
  /** Finds the key of a token of this issuer: at once if the key is cached, otherwise within {@link keyBounds}. Never throws. */
  find(trust: JwtTrust, header: KeyHeader): KeyLookup | Promise<KeyLookup>
  /** Fetches the keys again, unless they were fetched a moment ago. */
  renew(trust: JwtTrust): Promise<void>
  /** Fetches missing keys, and drops every other issuer. Call it with each new policy. */
  prepare(trusts: readonly JwtTrust[]): Promise<void>
  states(): readonly IssuerState[]
}
