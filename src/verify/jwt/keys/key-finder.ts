import type { JwtTrust } from '../../policy/policy.ts'
import type { KeyHeader, PublishedKey } from '../key-set/key-set.ts'

/** What is found of the key of a token. `says` is a sentence for the operator. */
export type KeyLookup =
  | { readonly outcome: 'found'; readonly key: PublishedKey }
  /** The issuer has no such key, or several that fit. */
  | { readonly outcome: 'unknown'; readonly says: string }
  /** Nobody can tell now: the issuer gave no good answer. */
  | { readonly outcome: 'unavailable'; readonly says: string }

/** What is known of the keys of one issuer, for metrics and readiness. Times are epoch milliseconds. */
export interface IssuerState {
  readonly issuer: string
  /** `kept`: the last request failed, and earlier keys are used. `none`: tokens of this issuer cannot be verified. */
  readonly standing: 'fresh' | 'kept' | 'none'
  /** How many can be used. */
  readonly keys: number
  /** Why others are not used. */
  readonly unused: readonly string[]
  /** When they were fetched. */
  readonly fetchedAt: number | undefined
  /** Gone with the next good answer. */
  readonly failure: { readonly at: number; readonly says: string } | undefined
  /** How often the issuer was asked. */
  readonly fetches: number
}

/** Finds keys of issuers, which it caches and renews. Nothing has to be closed. */
export interface KeyFinder {
  /** The key of a token of this issuer. Waits only where the key is not known, within bounds; never throws. */
  find(trust: JwtTrust, header: KeyHeader): Promise<KeyLookup>
  /** Fetches the keys again, unless that was just done. */
  renew(trust: JwtTrust): Promise<void>
  /** Fetches what is missing, and forgets every other issuer: to be called with each policy. */
  prepare(trusts: readonly JwtTrust[]): Promise<void>
  states(): readonly IssuerState[]
}
