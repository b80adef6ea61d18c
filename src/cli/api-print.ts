import type { Terminal } from './terminal.ts'

/** One value as JSON for people. */
export function printJson(terminal: Pick<Terminal, 'print'>, value: unknown): void {
  terminal.print(`${JSON.stringify(value, undefined, 2)}\n`)
}

/**
 * The items of a list, one a line as they arrive: as JSON, or the named fields with tabs between them, which a pipe can
 * cut. What an item does not have is `-`.
 */
export async function printItems(
  terminal: Pick<Terminal, 'print'>,
  items: AsyncIterable<Readonly<Record<string, unknown>>>,
  columns: readonly string[] | 'json',
): Promise<void> {
  for await (const item of items) {
    const line = columns === 'json' ? JSON.stringify(item) : columns.map((name) => renderCell(item[name])).join('\t')
    terminal.print(`${line}\n`)
  }
}

function renderCell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ')
}
