import type { TokenLife } from './shown-claims.ts'

/**
 * Draws how far a token is in its life, over the width that the dates leave; `undefined` for one that does not state both
 * ends, and where there is no room.
 */
export function renderLifeLine(
  { issuedAt, notBefore, expiresAt }: TokenLife,
  now: number,
  columns: number,
): string | undefined {
  const begin = notBefore ?? issuedAt
  if (begin === undefined || expiresAt === undefined || begin >= expiresAt) return undefined
  const [left, right] = renderEnds(begin, expiresAt)
  const width = Math.min(60, columns - left.length - right.length - 10)
  if (width < 10) return undefined
  const share = (now - begin) / (expiresAt - begin)
  const at = Math.round(share * (width - 1))
  const line = Array.from({ length: width }, (_, index) => (index === at ? marks.now : marks.time)).join('')
  const [before, after] = [share < 0 ? `${marks.now} ` : '', share > 1 ? ` ${marks.now}` : '']
  const inside = before || after ? marks.time.repeat(width - 2) : line
  return `${left} ${before}${marks.begin}${inside}${marks.end}${after} ${right}`
}

/** The parts of the line. */
const marks = { begin: '├', time: '─', now: '●', end: '┤' } as const

/** Renders both ends of the line; without the day if both are on the same one. */
function renderEnds(begin: number, end: number): [string, string] {
  const [from, to] = [begin, end].map((at) =>
    new Date(at)
      .toISOString()
      .replace('T', ' ')
      .replace(/\.\d+Z$/, ''),
  )
  const [day] = from!.split(' ')
  return [from!, to!.startsWith(`${day} `) ? to!.slice(11) : to!]
}
