import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'

/** The finding for a key that no row has; a near miss is named. */
export function unknownField(path: string, key: string, known: readonly string[]): Finding {
  const near = findNear(key, known)
  const hint = near ? `did you mean "${near}"?` : 'remove it, or check its spelling and where it stands'
  return finding('unknown-field', path, 'the client does not know this field and ignores it', hint)
}

/** The known name that the key is a slip of the finger away from. */
export function findNear(key: string, known: readonly string[]): string | undefined {
  return known.find((name) => isNear(key, name))
}

/** A setting of another cluster or another provider: not ours to judge. */
export function outsideSpecification(path: string): Finding {
  return finding('outside-specification', path, 'it belongs to no part of the document that is judged here', '')
}

/** Whether `provider` names something else than the gateway, and not by a slip of the finger. */
export function isForeignProvider(provider: unknown): boolean {
  return typeof provider === 'string' && provider !== '' && !isNear(provider, 'gateway')
}

/** Equal, without case, after at most two single-character edits, or fewer where the word is short. */
function isNear(key: string, name: string): boolean {
  const allowed = Math.min(2, Math.floor(name.length / 4))
  const [a, b] = [key.toLowerCase(), name.toLowerCase()]
  return Math.abs(a.length - b.length) <= allowed && editDistance(a, b) <= allowed
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= b.length; column++) {
      const replace = previous[column - 1]! + (letter === b[column - 1] ? 0 : 1)
      current.push(Math.min(replace, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous.at(-1)!
}
