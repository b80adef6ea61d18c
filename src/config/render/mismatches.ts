/**
 * How a machine can differ from the document that was exported for it, in the words that every detection script prints:
 * `not as exported: missing: A, B; differs: C`. Names follow the words, and values never do, because one may be a key.
 */
export const mismatches = {
  missing: 'missing',
  differs: 'differs',
  wrongType: 'wrong type',
  /** Set where a user can change it: only in a user's hive or preferences, or in a file that others can write. */
  notEnforced: 'not enforced',
  /** A known key that the document does not set, such as one of the document before it. */
  leftOver: 'left over',
  helperMissing: 'helper missing',
} as const

/** How a machine can differ from its document. */
export type Mismatch = keyof typeof mismatches

/** The line of a detection script for a machine without a mismatch. */
export const matchLine = 'as exported'

/** The beginning of the line for any other machine. */
export const mismatchPrefix = 'not as exported: '
