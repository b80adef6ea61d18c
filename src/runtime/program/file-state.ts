import type { BigIntStats } from 'node:fs'

/**
 * In milliseconds: a file that changed more recently may change again without a later time, because the clock of a file system is coarse.
 * Our decision.
 */
export const settledAfterMs = 2000

/** Renders the state of a file as a text that changes when the file is written or replaced. */
export function renderState({ dev, ino, mode, uid, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${mode} ${uid} ${size} ${mtimeNs} ${ctimeNs}`
}

/**
 * Computes when a file last changed, in milliseconds since the epoch; infinite if its times are whole seconds, because the file may then
 * change without a later time.
 */
export function computeLastChange({ mtimeNs, ctimeNs }: BigIntStats): number {
  if (ctimeNs % 1_000_000_000n === 0n) return Number.POSITIVE_INFINITY
  const last = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  return Number(last / 1_000_000n) + 1
}

/**
 * The member through which an environment that records its reads is told of a search for a program, which reads PATH itself. It is declared
 * here, because a call without a search does not load `find-program-file.ts`.
 */
export const notingSearches = Symbol('noting searches')
