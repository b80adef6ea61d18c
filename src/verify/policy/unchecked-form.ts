// The parts of a policy that has not passed the shape, so that all its problems are found at once.

import { isObject, type RawObject } from '../../runtime/values/json-value.ts'
import { policyLimits } from './policy-limits.ts'

/**
 * Lists the objects of a list with their indices; empty if the value is not a list. Other items, and those beyond the longest list, are
 * omitted, because the shape reports both.
 */
export function listObjects(value: unknown): (readonly [index: number, item: RawObject])[] {
  return Array.isArray(value)
    ? value
        .slice(0, policyLimits.rules)
        .flatMap((item: unknown, index) => (isObject(item) ? [[index, item] as const] : []))
    : []
}

/** Lists the texts of a list; other items are omitted, and a value that is not a list has none. */
export function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Returns a text; `undefined` for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
