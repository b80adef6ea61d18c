import type { KeyHeader, KeySet, PublishedKey } from './key-set.ts'

/** The key that a token was signed by, if exactly one may be it. */
export type KeySelection =
  | { readonly outcome: 'found'; readonly key: PublishedKey }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'several'; readonly count: number }

/**
 * Selects the key of a token: by its `kid`, or, where it has none, the only one that fits its algorithm. Keys are not tried one
 * after the other: a token would cost as many signatures as its issuer has keys.
 */
export function selectKey({ keys }: KeySet, { kid, alg }: KeyHeader): KeySelection {
  const fitting = keys.filter((key) => key.algorithms.includes(alg) && (kid === undefined || key.kid === kid))
  const [key, ...others] = fitting
  if (!key) return { outcome: 'none' }
  return others.length === 0 ? { outcome: 'found', key } : { outcome: 'several', count: fitting.length }
}
