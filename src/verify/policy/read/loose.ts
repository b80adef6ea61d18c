import { isRecord, type RawObject } from '../../../runtime/json/json-value.ts'
import { policyLimits } from '../limits.ts'

/**
 * The objects of a list, with their places in it; none where it is no list. What is no object has a finding of its own, and so has
 * a longer list than any may be.
 */
export function listObjects(value: unknown): (readonly [index: number, item: RawObject])[] {
  return Array.isArray(value)
    ? value
        .slice(0, policyLimits.rules)
        .flatMap((item: unknown, index) => (isRecord(item) ? [[index, item] as const] : []))
    : []
}

/** The object at a key; an empty one where there is none. */
export function toObject(value: unknown): RawObject {
  return isRecord(value) ? value : {}
}

/** The texts of a list. */
export function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** A text; `undefined` for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
