import type { KeySet, PublishedKey } from './key-set.ts'
import { parseKey } from './parse-key.ts'

/** Far above every issuer that is known: each key costs an import. */
const mostKeys = 100

/**
 * Parses a set of keys. What cannot be used in it, beside what can, is left out; a set without any usable key is broken.
 * @returns The set, or what is wrong with it, as the end of a sentence about its issuer.
 */
export function parseKeySet(value: unknown): KeySet | { readonly problem: string } {
  const list = isObject(value) ? value.keys : undefined
  if (!Array.isArray(list)) return { problem: 'gave something else than a set of keys' }
  if (list.length > mostKeys) return { problem: `gave ${list.length} keys, which is more than ${mostKeys}` }
  const parsed = list.map((item, at) => parseKey(item, at))
  const keys = omitDuplicates(parsed.flatMap((key) => ('unused' in key ? [] : [key])))
  const unused = parsed.flatMap((key) => ('unused' in key ? [key.unused] : []))
  if (keys.length > 0) return { keys, unused }
  return {
    problem: `gave no key that can be used${unused[0] === undefined ? '' : `: ${unused.slice(0, 3).join('; ')}`}`,
  }
}

/** The same key under the same name twice is one, and no reason to choose none. */
function omitDuplicates(keys: readonly PublishedKey[]): PublishedKey[] {
  return keys.filter(
    (key, at) =>
      !keys
        .slice(0, at)
        .some(
          (other) =>
            other.kid === key.kid && other.key.equals(key.key) && other.algorithms.join() === key.algorithms.join(),
        ),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
