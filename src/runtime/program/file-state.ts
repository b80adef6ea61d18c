import type { BigIntStats } from 'node:fs'

/** A file that changed this shortly before it is looked at, in milliseconds, may change once more at the same time of its clock. */
export const settledAfterMs = 2000

/** A text that changes when somebody writes a file or replaces it. */
export function renderState({ dev, ino, mode, uid, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${mode} ${uid} ${size} ${mtimeNs} ${ctimeNs}`
}

/**
 * When a file last changed, in milliseconds since the epoch; infinite if its times are whole seconds, because then it may change
 * without a later time.
 */
export function findLastChange({ mtimeNs, ctimeNs }: BigIntStats): number {
  if (ctimeNs % 1_000_000_000n === 0n) return Number.POSITIVE_INFINITY
  const last = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  return Number(last / 1_000_000n) + 1
}

/**
 * The member by which an environment that records its reads learns of the search for a program, which reads PATH itself. It stands here,
 * because a call that searches for none does not load the search.
 */
export const notingSearches = Symbol('noting searches')
