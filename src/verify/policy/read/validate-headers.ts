import type { RawObject } from '../../../runtime/json/json-value.ts'
import { joinPath } from '../../../runtime/json/position.ts'
import { createPolicyFinding, type PolicyFinding } from '../finding.ts'
import { policyLimits } from '../limits.ts'
import { listObjects, toObject } from './loose.ts'

/** Names of headers of one rule that are one name. */
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

/** Every answer has the headers of all rules. */
export function validateHeaderCount(file: RawObject): PolicyFinding[] {
  const names = listObjects(file.rules).flatMap(([, { headers }]) => Object.keys(toObject(headers)))
  const count = new Set(names.map((name) => name.toLowerCase())).size
  if (count <= policyLimits.headers) return []
  const message = `its rules name ${count} headers, and at most ${policyLimits.headers} are sent`
  return [createPolicyFinding('out-of-range', 'rules', message, 'name fewer: every answer has all of them')]
}
