import { createFinding } from '../finding.ts'
import type { Rule } from './rule.ts'

const centuryMs = 100 * 365.25 * 24 * 60 * 60 * 1000

/** Rules about the time at which clients fetch the document again. */
export const expiryRules: readonly Rule[] = [
  function validateExpiry({ document: { expiresAt }, now }) {
    if (expiresAt === undefined || now === undefined) return []
    if (expiresAt <= now) {
      const hint = 'set it to a time to come, in seconds or milliseconds since 1970, or remove it'
      return [
        createFinding(
          'expired',
          'expiresAt',
          'the time has passed, so the document is due again as soon as it is read',
          hint,
        ),
      ]
    }
    if (expiresAt <= now + centuryMs) return []
    return [
      createFinding(
        'expires-late',
        'expiresAt',
        'the time is more than a century away, so clients never fetch a newer document',
        'write it in seconds or milliseconds since 1970, not in microseconds',
      ),
    ]
  },
]
