/**
 * Whether a pattern matches a whole text; `*` stands for any text, also none, and everything else for itself. Each piece between two
 * stars is looked for once, from where the one before it ended, so that no pattern makes a search long.
 */
export function matchPattern(pattern: string, text: string): boolean {
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

/** Whether a pattern matches every text. */
export function isMatchAll(pattern: string): boolean {
  return /^\*+$/.test(pattern)
}
