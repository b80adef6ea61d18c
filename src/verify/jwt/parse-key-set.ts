import { createPublicKey, type JsonWebKeyInput, type KeyObject } from 'node:crypto'
import {
  leastRsaBits,
  type SignatureAlgorithm,
  signatureAlgorithmNames,
  signatureAlgorithms,
} from '../../contract/signature-algorithms.ts'
import { toObject } from '../../runtime/values/json-value.ts'
import type { KeySet, PublishedKey } from './key-finder.ts'

/**
 * Parses a set of keys. Unusable keys are omitted; a set without any usable key is an error.
 * @returns The set, or what is wrong with it, as the end of a sentence about its issuer.
 */
export function parseKeySet(value: unknown): KeySet | { readonly problem: string } {
  const list = toObject(value).keys
  if (!Array.isArray(list)) return { problem: 'gave no set of keys' }
  if (list.length > maxKeys) return { problem: `gave ${list.length} keys, which is more than ${maxKeys}` }
  const parsed = list.map((item, at) => parseKey(item, at))
  const keys = omitDuplicates(parsed.flatMap((key) => ('unused' in key ? [] : [key])))
  const unused = parsed.flatMap((key) => ('unused' in key ? [key.unused] : []))
  if (keys.length > 0) return { keys, unused }
  return {
    problem: `gave no key that can be used${unused[0] === undefined ? '' : `: ${unused.slice(0, 3).join('; ')}`}`,
  }
}

/** The most keys of an issuer, far more than any known issuer has: each key costs an import. Our decision. */
const maxKeys = 100

/** Parses one key of a set (RFC 7517, section 4), and imports its public part; otherwise returns why the key is not used. */
function parseKey(value: unknown, at: number): PublishedKey | { readonly unused: string } {
  const jwk = toObject(value)
  const unused = (why: string) => ({ unused: `key ${at + 1} ${why}` })
  const problem = validateKey(jwk)
  if (problem !== undefined) return unused(problem)
  const algorithms = listAlgorithms(jwk)
  if (algorithms.length === 0) return unused('is for no algorithm that is accepted')
  const key = importKey(jwk)
  if (!key) return unused('cannot be imported')
  const weakness = findWeakness(key)
  return weakness === undefined ? { kid: jwk.kid as string | undefined, algorithms, key } : unused(weakness)
}

/** Omits a key that is listed twice under the same name; otherwise the selection would find two keys and fail. */
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

/** The most bits of an RSA key, because a signature by a longer one takes long to verify. Our decision. */
const mostRsaBits = 8192

/** Finds a member of a key that forbids its use for signatures (RFC 7517, sections 4.2 and 4.3). */
function validateKey({ kty, use, key_ops: operations, kid, ...members }: Record<string, unknown>): string | undefined {
  if (kty === 'oct') return 'is a shared secret, which is never published'
  if ('d' in members) return 'shows its private part, so that anybody can sign with it'
  if (kid !== undefined && typeof kid !== 'string') return 'has a kid that is not a string'
  if (use !== undefined && use !== 'sig') return 'is not for signatures (use)'
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    return 'is not for verifying (key_ops)'
  return undefined
}

/** Lists the algorithms that fit a key's type and curve, which `alg` narrows to one. */
function listAlgorithms({ kty, crv, alg }: Record<string, unknown>): SignatureAlgorithm[] {
  return signatureAlgorithmNames.filter((name) => {
    const { keyType, curve }: { keyType: string; curve?: string } = signatureAlgorithms[name]
    return keyType === kty && (curve === undefined || curve === crv) && (alg === undefined || alg === name)
  })
}

/** Imports only the members of the public key. `undefined` if they are invalid, such as a point that is not on its curve. */
function importKey({ kty, n, e, crv, x, y }: Record<string, unknown>): KeyObject | undefined {
  const members = { RSA: { kty, n, e }, EC: { kty, crv, x, y }, OKP: { kty, crv, x } }[kty as 'RSA' | 'EC' | 'OKP']
  try {
    return createPublicKey({ key: members as JsonWebKeyInput['key'], format: 'jwk' })
  } catch {
    return undefined // OpenSSL's reason does not matter here
  }
}

function findWeakness(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType !== 'rsa') return undefined
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < leastRsaBits) return `has ${modulusLength} bits, fewer than ${leastRsaBits}`
  if (modulusLength > mostRsaBits) return `has ${modulusLength} bits, more than ${mostRsaBits}`
  if (publicExponent < 3n || publicExponent % 2n === 0n || publicExponent >= 2n ** 64n)
    return 'has an exponent that is not usable'
  return isFactorable(key) ? 'is of a chip whose keys can be computed (CVE-2017-15361)' : undefined
}

/**
 * Returns whether an RSA key has the fingerprint of a library with predictable primes (CVE-2017-15361): its modulus is a power of 65537
 * modulo each of these primes. One in two hundred million other keys has it too.
 */
function isFactorable(key: KeyObject): boolean {
  const { n = '' } = key.export({ format: 'jwk' })
  const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`)
  return primes.every((prime) => listPowers(prime).includes(Number(modulus % BigInt(prime))))
}

/** Primes for which not every number is a power of 65537. */
const primes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

function listPowers(prime: number): number[] {
  const powers = [1]
  for (;;) {
    const next = (powers.at(-1)! * 65_537) % prime
    if (next === 1) return powers
    powers.push(next)
  }
}
