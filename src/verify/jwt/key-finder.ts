import type { JwtTrust } from '../policy/policy.ts'
import type { KeyHeader, PublishedKey } from './key-set.ts'

/** The result of looking for the key of a token. `says` is a sentence for the operator. */
export type KeyLookup =
  | { readonly outcome: 'found'; readonly key: PublishedKey }
  /** The issuer has no such key, or several that fit. */
  | { readonly outcome: 'unknown'; readonly says: string }
  /** The operator has revoked the key. */
  | { readonly outcome: 'revoked'; readonly says: string }
  /** Nobody can tell now: the issuer gave no good answer. */
  | { readonly outcome: 'unavailable'; readonly says: string }

/** Facts about the keys of one issuer, for metrics and readiness. Times are epoch milliseconds. */
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
  /** Removed by the next good answer. */
  readonly failure: { readonly at: number; readonly says: string } | undefined
  /** How often the issuer was asked. */
  readonly fetches: number
}

/** Finds keys of issuers, which it caches and renews. Nothing has to be closed. */
export interface KeyFinder {
  /** Finds the key of a token of this issuer: at once if it is known, and otherwise within bounds. Never throws. */
  find(trust: JwtTrust, header: KeyHeader): KeyLookup | Promise<KeyLookup>
  /** Fetches the keys again, unless they were just fetched. */
  renew(trust: JwtTrust): Promise<void>
  /** Fetches missing keys, and forgets every other issuer. To be called with each new policy. */
  prepare(trusts: readonly JwtTrust[]): Promise<void>
  states(): readonly IssuerState[]
}
