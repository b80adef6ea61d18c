import { digestFingerprint } from '../../runtime/private/fingerprint.ts'
import type { EntryLocation } from './directory.ts'

/** In hexadecimal digits: finer than the seconds of any life, and too short to find a machine by. */
const digits = 5

/**
 * By which part of the longest time a machine renews an entry early: at least 0, less than 1, and always the same. Many machines, and
 * many entries of one machine, are spread evenly.
 * @param machine Its name.
 */
export function computeEarlyFraction(machine: string, { directory, program, key }: EntryLocation): number {
  const digest = digestFingerprint(JSON.stringify([machine, directory, program, key]))
  return Number.parseInt(digest.slice(0, digits), 16) / 16 ** digits
}
