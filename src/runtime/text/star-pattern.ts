// Patterns in which a star stands for any text.

/**
 * Returns whether a pattern matches a whole text. `*` matches any text, also an empty one; other characters match themselves. Each piece
 * between two stars is searched for once, after the end of the piece before it, so that the time of a search is bounded.
 */
export function isPatternMatch(pattern: string, text: string): boolean {
  const [start = '', ...pieces] = pattern.split('*')
  const end = pieces.pop()
  if (end === undefined) return pattern === text
  if (!text.startsWith(start) || !text.endsWith(end) || text.length < start.length + end.length) return false
  const middle = text.slice(start.length, text.length - end.length)
  let at = 0
  for (const piece of pieces) {
    const found = middle.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}

/** Returns whether every text that matches one of the narrow patterns also matches one of the wide ones. */
export function isCoveredBy(narrow: readonly string[], wide: readonly string[]): boolean {
  // A star of a narrow pattern matches only a star of a wide one, which then also matches every text in its place.
  return narrow.every((pattern) => wide.some((wider) => isPatternMatch(wider, pattern)))
}

export function isMatchAll(pattern: string): boolean {
  return /^\*+$/.test(pattern)
}
