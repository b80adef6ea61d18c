import type { KeyObject } from 'node:crypto'
import type { SignatureAlgorithm } from '../../contract/signature-algorithms.ts'

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
