import { computeEarlyFraction } from '../../contract/timing/freshness.ts'
import { digestFingerprint } from '../../runtime/private/fingerprint.ts'
import type { EntryLocation } from './directory.ts'

/** In hexadecimal digits: finer than the seconds of any life, and too short to find a machine by. */
const digits = 5

/**
 * By which part of the longest time a machine renews a token early: at least 0, less than 1. Many machines, many entries of one
 * machine, and many tokens of one entry are spread evenly.
 * @param machine Its name.
 * @param minted In milliseconds since the epoch.
 */
export function computeEntryFraction(
  machine: string,
  { directory, program, key }: EntryLocation,
  minted: number,
): number {
  const entry = [machine, directory, program, key]
  return computeEarlyFraction(toFraction(entry), toFraction([...entry, minted]))
}

function toFraction(parts: readonly (string | number)[]): number {
  return Number.parseInt(digestFingerprint(JSON.stringify(parts)).slice(0, digits), 16) / 16 ** digits
}
