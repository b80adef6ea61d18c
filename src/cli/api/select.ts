import { renderJson } from './print.ts'

/**
 * The values at a path: names and indexes with dots between them, `*` for every member, as in `data.*.id`. Empty for a
 * path that is not there.
 */
export function selectValues(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>((values, step) => values.flatMap((from) => takeStep(from, step)), [value])
}

/** Text as it is, so that a script can use it; anything else as JSON. */
export function renderSelected(value: unknown): string {
  return `${typeof value === 'string' ? value : renderJson(value)}\n`
}

function takeStep(from: unknown, step: string): unknown[] {
  if (typeof from !== 'object' || from === null) return []
  if (step === '*') return Object.values(from)
  return Object.hasOwn(from, step) ? [Object.entries(from).find(([name]) => name === step)?.[1]] : []
}
