import { hash } from 'node:crypto'

/** Digests the pieces of a call: a memo of one build is not valid for another. */
export function digestBuild(pieces: readonly string[]): string {
  return hash('sha256', pieces.join('\n')).slice(0, 32)
}
