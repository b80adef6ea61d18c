// Functions for a policy that has not passed the shape, so that all its problems are found at once.

import { isObject, type RawObject, toObject } from '../../runtime/values/json-value.ts'
import { joinPath } from '../../runtime/values/position.ts'
import { createPolicyFinding, type PolicyFinding } from './policy-finding.ts'
import { policyLimits } from './policy-limits.ts'

/**
 * The objects of a list with their indices; empty if the value is not a list. Other items, and those beyond the longest list, are omitted,
 * because the shape reports both.
 */
export function listObjects(value: unknown): (readonly [index: number, item: RawObject])[] {
  return Array.isArray(value)
    ? value
        .slice(0, policyLimits.rules)
        .flatMap((item: unknown, index) => (isObject(item) ? [[index, item] as const] : []))
    : []
}

/** The texts of a list; other items are omitted, and a value that is not a list has none. */
export function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** A text; `undefined` for anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Finds headers of one rule whose names differ only in case. */
export function validateHeaders({ headers }: RawObject, path: string): PolicyFinding[] {
  const names = Object.keys(toObject(headers))
  return names.flatMap((name, index) => {
    const isAgain = names.slice(0, index).some((other) => other.toLowerCase() === name.toLowerCase())
    const message = 'another header of this rule differs from it in case only'
    return isAgain
      ? [createPolicyFinding('duplicate-header', joinPath(`${path}.headers`, name), message, 'keep one')]
      : []
  })
}

/** Finds too many headers: every answer contains those of all rules. */
export function validateHeaderCount(file: RawObject): PolicyFinding[] {
  const names = listObjects(file.rules).flatMap(([, { headers }]) => Object.keys(toObject(headers)))
  const count = new Set(names.map((name) => name.toLowerCase())).size
  if (count <= policyLimits.headers) return []
  const message = `its rules name ${count} headers, and at most ${policyLimits.headers} are sent`
  return [createPolicyFinding('out-of-range', 'rules', message, 'name fewer: every answer has all of them')]
}

/** Finds private and symmetric keys, with which every reader of the policy could sign tokens (RFC 7518, section 6). */
export function validateKeySet(keySet: unknown, path: string): PolicyFinding[] {
  return listObjects(toObject(keySet).keys).flatMap(([index, key]) => {
    const at = joinPath(joinPath(path, 'keys'), index)
    if (key.kty === 'oct' || key.d !== undefined || key.k !== undefined)
      return [
        createPolicyFinding(
          'private-key',
          at,
          'it is a key that can sign',
          'remove it, have the issuer replace it, and write the public key',
        ),
      ]
    if (key.kty === 'RSA' || key.kty === 'EC' || key.kty === 'OKP') return []
    return [
      createPolicyFinding(
        'keys-unusable',
        at,
        'its kty is not RSA, EC or OKP',
        'write a public key as JSON (RFC 7517)',
      ),
    ]
  })
}
