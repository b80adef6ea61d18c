import type { RawObject } from '../runtime/json/json-value.ts'
import { fields, flatKeys } from './fields.ts'

/** The forms of a document. `managed`: flat keys with text values, as management tools deliver them. */
export const shapes = ['nested', 'flat', 'managed'] as const
/** One form of a document. */
export type Shape = (typeof shapes)[number]

/**
 * The shape of a JSON object. `$schemaVersion` 2 or a cluster marks the nested shape; an object without a flat key is
 * nested too, so that an empty document is valid. A flat document whose values are all text is managed, if one of its
 * fields has another type.
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
