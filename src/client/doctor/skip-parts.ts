import type { Part } from '../examination.ts'

/** Parts that are left out because an earlier one failed. */
export function skipParts(...parts: readonly Part['part'][]): Part[] {
  return parts.map((part) => ({ part, outcome: 'not examined', lines: ['skipped: an earlier part failed'] }))
}

/** The parts of an examination of a credential, after the document. */
export const credentialParts = {
  helper: ['helper', 'run', 'token', 'gateway'],
  'sign-in': ['provider', 'sign-in', 'token', 'gateway'],
} as const satisfies Record<string, readonly Part['part'][]>
