import { fields, flatKeys } from './fields.ts'
import type { RawObject } from './raw.ts'

/** `managed`: flat keys with text values, as management tools deliver them. */
export const shapes = ['nested', 'flat', 'managed'] as const
export type Shape = (typeof shapes)[number]

/**
 * The shape of a JSON object. `$schemaVersion` 2 or a cluster marks the nested one; anything that has no flat key is
 * nested too, so that an empty document is a valid one. All text where a flat document would hold other types is managed.
 */
export function detectShape(entries: RawObject): Shape {
  const known = Object.keys(entries).filter((key) => flatKeys.includes(key))
  if (entries.$schemaVersion === 2 || Object.hasOwn(entries, 'inference') || known.length === 0) return 'nested'
  const allText = Object.values(entries).every((value) => typeof value === 'string')
  return allText && known.some(isNotText) ? 'managed' : 'flat'
}

function isNotText(key: string): boolean {
  return fields.some((field) => field.flat === key && field.rule.type !== 'text')
}
