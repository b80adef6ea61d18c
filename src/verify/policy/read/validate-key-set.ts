import { joinPath } from '../../../runtime/json/position.ts'
import { createPolicyFinding, type PolicyFinding } from '../finding.ts'
import { listObjects, toObject } from './loose.ts'

/** Keys that can also sign have no place in a policy: whoever reads it could make tokens. RFC 7518, section 6. */
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
