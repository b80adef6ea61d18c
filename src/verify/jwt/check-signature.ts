import { compactVerify, errors } from 'jose'
import { isSignatureAlgorithm } from '../../contract/signature-algorithms.ts'
import type { JwtTrust } from '../policy/policy.ts'
import { describeValue } from './describe-value.ts'
import type { JwtCheck } from './jwt-checks.ts'
import type { KeyFinder } from './key-finder.ts'
import type { KeyHeader, PublishedKey } from './key-set.ts'
import type { SignedJwt } from './parse-signed-jwt.ts'

/** The facts that {@link checkSignature} needs besides the token. */
interface SignatureParts {
  readonly trust: JwtTrust | undefined
  readonly keys: KeyFinder
}

/**
 * Finds the key of a token among those of its issuer, and verifies the signature. Only `alg` and `kid` of the header are used, never
 * a key that the token brings (`jwk`, `x5c`) or an address that it names (`jku`, `x5u`).
 */
export async function checkSignature(jwt: SignedJwt, { trust, keys }: SignatureParts): Promise<[JwtCheck, JwtCheck]> {
  const header = toKeyHeader(jwt)
  if (!trust || !header)
    return toUnchecked(trust ? 'it is signed by no algorithm of ours' : 'its issuer is not trusted')
  const first = await keys.find(trust, header)
  if (first.outcome === 'unknown') return toMissing('unknown-key', first.says)
  if (first.outcome === 'unavailable') return toMissing('keys-unavailable', first.says)
  if (await hasSignature(jwt, header, first.key)) return toResult(header, 'holds')
  if (header.kid !== undefined) return toResult(header, 'does not hold')
  // A key without `kid` may have been replaced unnoticed.
  await keys.renew(trust)
  const next = await keys.find(trust, header)
  const isOther = next.outcome === 'found' && !next.key.key.equals(first.key.key)
  return toResult(header, isOther && (await hasSignature(jwt, header, next.key)) ? 'holds' : 'does not hold')
}

function toKeyHeader({ header: { kid, alg } }: SignedJwt): KeyHeader | undefined {
  if (!isSignatureAlgorithm(alg) || (kid !== undefined && typeof kid !== 'string')) return undefined
  return { kid, alg }
}

/** @throws every error except that of a wrong signature: a defect must not look like a wrong signature. */
async function hasSignature({ text }: SignedJwt, { alg }: KeyHeader, { key }: PublishedKey): Promise<boolean> {
  try {
    await compactVerify(text, key, { algorithms: [alg] })
    return true
  } catch (thrown) {
    if (thrown instanceof errors.JWSSignatureVerificationFailed) return false
    throw thrown
  }
}

function toResult({ kid, alg }: KeyHeader, signature: 'holds' | 'does not hold'): [JwtCheck, JwtCheck] {
  const named = kid === undefined ? `the only one for ${alg}` : describeValue(kid)
  return [
    { name: 'key', outcome: 'pass', note: `the key of the issuer is ${named}` },
    signature === 'holds'
      ? { name: 'signature', outcome: 'pass', note: 'the signature holds' }
      : { name: 'signature', outcome: 'fail', note: 'the signature does not hold', reason: 'signature' },
  ]
}

function toMissing(reason: 'unknown-key' | 'keys-unavailable', note: string): [JwtCheck, JwtCheck] {
  return [
    { name: 'key', outcome: 'fail', note, reason },
    { name: 'signature', outcome: 'skipped', note: 'it cannot be verified without the key' },
  ]
}

function toUnchecked(note: string): [JwtCheck, JwtCheck] {
  return [
    { name: 'key', outcome: 'skipped', note: `no key was looked for: ${note}` },
    { name: 'signature', outcome: 'skipped', note: 'it cannot be verified without the key' },
  ]
}
