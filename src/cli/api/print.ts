import { toOneLine } from '../../runtime/failure.ts'
import { escapeControls } from '../../runtime/text/escape.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import type { Terminal } from '../terminal.ts'

/** Prints a value as JSON for people, with control characters escaped: the API returns texts that strangers wrote. */
export function printJson(terminal: Pick<Terminal, 'print'>, value: unknown): void {
  terminal.print(escapeControls(renderJson(value)))
}

/**
 * Renders JSON on one line, and escapes control and format characters, including those that JSON permits, because they would control a
 * terminal.
 */
export function renderJsonLine(value: unknown): string {
  return escapeControls(JSON.stringify(value))
}

/**
 * Prints the items of a list as they arrive, one a line: as JSON, or the named fields separated by tabs, for `cut`. A missing field is `-`.
 */
export async function printItems(
  terminal: Pick<Terminal, 'printAll'>,
  items: AsyncIterable<Readonly<Record<string, unknown>>>,
  columns: readonly string[] | 'json',
): Promise<void> {
  const render = (item: Readonly<Record<string, unknown>>) =>
    columns === 'json' ? renderJsonLine(item) : columns.map((name) => renderCell(item[name])).join('\t')
  await terminal.printAll(renderEach(items, (item) => `${render(item)}\n`))
}

/** Renders items one by one as they arrive. */
export async function* renderEach<Item>(
  items: AsyncIterable<Item>,
  render: (item: Item) => string,
): AsyncGenerator<string, void, undefined> {
  for await (const item of items) yield render(item)
}

/** Selects the values at a path: names and indexes separated by dots, `*` for every member, as in `data.*.id`. Empty for a missing path. */
export function selectValues(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>((values, step) => values.flatMap((from) => selectStep(from, step)), [value])
}

/** Renders a text unchanged, so that a script can use it, and any other value as JSON. */
export function renderSelected(value: unknown): string {
  return `${typeof value === 'string' ? value : renderJsonLine(value)}\n`
}

function renderCell(value: unknown): string {
  if (value === undefined || value === null) return '-'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return toOneLine(text)
}

function selectStep(from: unknown, step: string): unknown[] {
  if (typeof from !== 'object' || from === null) return []
  if (step === '*') return Object.values(from)
  return Object.hasOwn(from, step) ? [Object.entries(from).find(([name]) => name === step)?.[1]] : []
}
