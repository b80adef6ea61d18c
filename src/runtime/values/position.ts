/** The position of a value in the text of its file; both numbers count from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The positions of values, by their path as findings spell it. */
export type Positions = ReadonlyMap<string, Position>

/** The positions of a form that has no lines, or of a file that cannot be read. */
export const noPositions: Positions = new Map()

/** Joins a path such as `a.b` or `a[0]`. Unusual names are quoted, so that no key can send control characters to a terminal. */
export function joinPath(path: string, segment: string | number): string {
  if (typeof segment === 'number') return `${path}[${segment}]`
  if (!/^[$\w-]+$/.test(segment)) return `${path}[${JSON.stringify(segment)}]`
  return path === '' ? segment : `${path}.${segment}`
}

/** Adds a position to each finding: of its own path, or of the nearest object around it. */
export function locateFindings<T extends { readonly path: string; readonly line?: number }>(
  findings: readonly T[],
  positions: Positions,
): T[] {
  return findings.map((row) => (row.line === undefined ? { ...row, ...findPosition(row.path, positions) } : row))
}

function findPosition(path: string, positions: Positions): Position | undefined {
  const found = positions.get(path)
  const outer = path.replace(/(\.?[$\w-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])$/, '')
  return found || outer === path ? found : findPosition(outer, positions)
}
