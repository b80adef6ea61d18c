import { createHash } from 'node:crypto'

/** A short digest of the pieces of a call: a memo of one build is not valid for another. */
export function digestBuild(pieces: readonly string[]): string {
  return createHash('sha256').update(pieces.join('\n')).digest('hex').slice(0, 32)
}
