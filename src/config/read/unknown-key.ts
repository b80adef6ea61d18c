import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'

/** A key that is in no row of the field table; the hint names a similar known key. */
export function reportUnknownField(path: string, key: string, known: readonly string[]): Finding {
  const near = findSimilar(key, known)
  const hint = near ? `did you mean "${near}"?` : 'remove it, or check its spelling and its position'
  return createFinding('unknown-field', path, 'the client does not know this field and ignores it', hint)
}

/** The known name that the key is probably a misspelling of. */
export function findSimilar(key: string, known: readonly string[]): string | undefined {
  return known.find((name) => isSimilar(key, name))
}

/** A setting of another cluster or another provider, which is not checked. */
export function reportOutsideSpecification(path: string): Finding {
  return createFinding(
    'outside-specification',
    path,
    'it belongs to a part of the document that is not checked here',
    '',
  )
}

/** A provider of another name: nothing that belongs to it is known here. */
export function reportForeignProvider(path: string): Finding {
  return createFinding(
    'foreign-provider',
    path,
    'it names another provider than "gateway", so nothing here was checked',
    'for a gateway set it to "gateway"; otherwise see the documentation of that provider',
  )
}

/** The finding that the document names another provider than the gateway, so that nothing in it could be checked. */
export function findForeignProvider({ findings }: { readonly findings: readonly Finding[] }): Finding | undefined {
  return findings.find(({ code }) => code === 'foreign-provider')
}

/** Whether `provider` names something else than the gateway; a misspelled `gateway` is the gateway. */
export function isForeignProvider(provider: unknown): boolean {
  return typeof provider === 'string' && provider !== '' && !isSimilar(provider, 'gateway')
}

/** Whether two names are equal after at most two single-character edits, fewer for short names; case is ignored. */
function isSimilar(key: string, name: string): boolean {
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
