import { createHash } from 'node:crypto'

/** A short digest of the pieces that a call runs: what one build has remembered is not for another. */
export function digestBuild(pieces: readonly string[]): string {
  return createHash('sha256').update(pieces.join('\n')).digest('hex').slice(0, 32)
}
