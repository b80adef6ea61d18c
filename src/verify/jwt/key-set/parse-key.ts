import { createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto'
import {
  type SignatureAlgorithm,
  signatureAlgorithmNames,
  signatureAlgorithms,
} from '../../../contract/signature-algorithms.ts'
import { isFactorable } from './factorable-key.ts'
import type { PublishedKey } from './key-set.ts'

/** RFC 7518, sections 3.3 and 3.5. The upper bound is ours: a signature by a longer key takes long to verify. */
const rsaBits = { least: 2048, most: 8192 }

/** Parses one key of a set (RFC 7517, section 4), and imports its public part; or says why it is not used. */
export function parseKey(value: unknown, at: number): PublishedKey | { readonly unused: string } {
  const jwk = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  const unused = (why: string) => ({ unused: `key ${at + 1} ${why}` })
  const problem = findProblem(jwk)
  if (problem !== undefined) return unused(problem)
  const algorithms = listAlgorithms(jwk)
  if (algorithms.length === 0) return unused('is for no algorithm that is accepted')
  const key = importKey(jwk)
  if (!key) return unused('cannot be imported')
  const weakness = findWeakness(key)
  return weakness === undefined ? { kid: jwk.kid as string | undefined, algorithms, key } : unused(weakness)
}

/** What its issuer says of it. */
function findProblem({ kty, use, key_ops: operations, kid, ...members }: Record<string, unknown>): string | undefined {
  if (kty === 'oct') return 'is a shared secret, which is never published'
  if ('d' in members) return 'shows its private part, so that anybody can sign with it'
  if (kid !== undefined && typeof kid !== 'string') return 'has a kid that is no text'
  if (use !== undefined && use !== 'sig') return 'is not for signatures (use)'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return 'is not for verifying (key_ops)'
  return undefined
}

/** By its type and curve, which `alg` narrows to one. */
function listAlgorithms({ kty, crv, alg }: Record<string, unknown>): SignatureAlgorithm[] {
  return signatureAlgorithmNames.filter((name) => {
    const { keyType, curve }: { keyType: string; curve?: string } = signatureAlgorithms[name]
    return keyType === kty && (curve === undefined || curve === crv) && (alg === undefined || alg === name)
  })
}

/** Only what makes the public key is read. `undefined` for what is none, such as a point that is not on its curve. */
function importKey({ kty, n, e, crv, x, y }: Record<string, unknown>): KeyObject | undefined {
  const members = { RSA: { kty, n, e }, EC: { kty, crv, x, y }, OKP: { kty, crv, x } }[kty as 'RSA' | 'EC' | 'OKP']
  try {
    return createPublicKey({ key: members as JsonWebKeyInput['key'], format: 'jwk' })
  } catch {
    return undefined // whatever OpenSSL says of it, it is no key
  }
}

function findWeakness(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== 'rsa') return undefined
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < rsaBits.least) return `has ${modulusLength} bits, fewer than ${rsaBits.least}`
  if (modulusLength > rsaBits.most) return `has ${modulusLength} bits, more than ${rsaBits.most}`
  if (publicExponent < 3n || publicExponent % 2n === 0n || publicExponent >= 2n ** 64n)
    return 'has an exponent that is no good'
  return isFactorable(key) ? 'is of a chip whose keys can be computed (CVE-2017-15361)' : undefined
}
