import { isSignatureAlgorithm, signatureAlgorithmNames } from '../../../contract/signature-algorithms.ts'
import { findNearestName } from '../../../runtime/names/nearest-name.ts'
import type { PolicyProblem } from '../finding.ts'

/** Why tokens that are signed so are never accepted; `undefined` for an algorithm that is. */
export function findAlgorithmProblem(name: string): PolicyProblem | undefined {
  if (isSignatureAlgorithm(name)) return undefined
  if (name.toLowerCase() === 'none')
    return reject('a token that is not signed proves nothing, so "none" is never accepted')
  if (/^HS\d+$/i.test(name))
    return reject('this algorithm has a shared key, with which everybody who verifies can also sign')
  const near = findNearestName(name.toUpperCase(), signatureAlgorithmNames)
  return {
    code: 'invalid-value',
    message: 'it is no signature algorithm that is known here',
    hint: near ? `did you mean "${near}"?` : `name some of ${signatureAlgorithmNames.join(', ')}`,
  }
}

function reject(message: string): PolicyProblem {
  return {
    code: 'symmetric-algorithm',
    message,
    hint: `name the algorithm of the issuer's public keys, such as RS256 or ES256, or leave the list out`,
  }
}
