/**
 * The known name that somebody most likely meant: one that differs in at most two letters and in less than half of them, or
 * more than half of which is the other. `undefined` if none is that near.
 */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  const near = known
    .map((other) => ({ other, distance: computeRating(name, other) }))
    .filter(({ distance }) => distance <= 2 && distance < name.length / 2)
  return near.toSorted((a, b) => a.distance - b.distance)[0]?.other
}

function computeRating(name: string, other: string): number {
  return name !== other && isBeginning(name, other) ? 1 : computeDistance(name, other)
}

/** Whether one name begins with the other, and the other is more than half of it. */
function isBeginning(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return long.startsWith(short) && short.length > long.length / 2
}

/** Levenshtein distance, in which two neighbours that changed places count as one change. */
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
