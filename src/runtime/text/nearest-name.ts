/**
 * Finds the known name that was most likely meant: one that differs in at most two letters and in less than half of them, or one that
 * begins with the given name or is its beginning, if the shorter one is more than half of the longer. `undefined` if no name is so near.
 */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((other) => ({ other, distance: computeRating(name, other) }))
    .filter(({ distance }) => distance <= 2 && distance < name.length / 2)
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.other
}

/** Describes in a hint which known name was meant, or `otherwise` if no name is so near. */
export function describeNearest(name: string, known: readonly string[], otherwise: string): string {
  const near = findNearestName(name, known)
  return near === undefined ? otherwise : `did you mean "${near}"?`
}

function computeRating(name: string, other: string): number {
  return name !== other && isBeginning(name, other) ? 1 : computeDistance(name, other)
}

/** Returns whether the longer name begins with the shorter one, which is more than half of it. */
function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return long.startsWith(short) && short.length > long.length / 2
}

/** Computes the Levenshtein distance, in which two exchanged neighbours count as one change. */
function computeDistance(a: string, b: string): number {
  let earlier: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, isSwap ? earlier[j - 2]! + 1 : Infinity))
    }
    earlier = row
    row = next
  }
  return row[b.length]!
}
