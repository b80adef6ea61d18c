// Declares the search for a token's key, and selects a key of a set.

import { hash, type KeyObject } from 'node:crypto'
import type { SignatureAlgorithm } from '../../contract/signature-algorithms.ts'
import type { JwtTrust } from '../policy/policy.ts'

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
}

/** A public key of an issuer, imported once. */
export interface PublishedKey {
  readonly kid: string | undefined
  /** The signature algorithms for which the key may be used. */
  readonly algorithms: readonly SignatureAlgorithm[]
  readonly key: KeyObject
}

/** The usable keys that an issuer publishes (RFC 7517, section 5). */
export interface KeySet {
  readonly keys: readonly PublishedKey[]
  /** One sentence for each key that is not used. */
  readonly unused: readonly string[]
}

/** The members of a token's header that select the key. */
export interface KeyHeader {
  readonly kid: string | undefined
  readonly alg: SignatureAlgorithm
}

/** The key that signed a token, if exactly one key fits. */
export type KeySelection =
  | { readonly outcome: 'found'; readonly key: PublishedKey }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'several'; readonly count: number }

/**
 * Selects the key of a token by its `kid`; without `kid`, the only key that fits the algorithm. Keys are not tried one after another,
 * because a token would then cost as many signatures as its issuer has keys.
 */
export function selectKey({ keys }: KeySet, { kid, alg }: KeyHeader): KeySelection {
  const fitting = keys.filter((key) => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid))
  const [key, ...others] = fitting
  if (!key) return { outcome: 'none' }
  return others.length === 0 ? { outcome: 'found', key } : { outcome: 'several', count: fitting.length }
}

/**
 * Computes the thumbprint of a public key (RFC 7638, section 3). It uses the members as Node exports them, so that one key has one
 * thumbprint.
 */
export function computeThumbprint(key: KeyObject): string {
  const known = thumbprints.get(key)
  if (known !== undefined) return known
  const { crv, e, kty, n, x, y } = key.export({ format: 'jwk' })
  const thumbprint = hash('sha256', JSON.stringify({ crv, e, kty, n, x, y }), 'base64url') // in alphabetical order (RFC 7638, section 3.3)
  thumbprints.set(key, thumbprint)
  return thumbprint
}

const thumbprints = new WeakMap<KeyObject, string>()
