import { constants, type KeyObject, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import { isSignatureAlgorithm, type SignatureAlgorithm } from '../../contract/signature-algorithms.ts'
import type { JwtTrust } from '../policy/policy.ts'
import { describeValue } from './describe-value.ts'
import type { JwtCheck } from './jwt-checks.ts'
import type { KeyFinder, KeyHeader, KeyLookup, PublishedKey } from './key-finder.ts'
import type { SignedJwt } from './parse-signed-jwt.ts'

/**
 * Finds the key of a token among the keys of its issuer, and verifies the signature. Only `alg` and `kid` of the header are used, never a
 * key in the token (`jwk`, `x5c`) or an address in it (`jku`, `x5u`).
 */
export function checkSignature(
  jwt: SignedJwt,
  { trust, keys }: { readonly trust: JwtTrust | undefined; readonly keys: KeyFinder },
): SignatureChecks | Promise<SignatureChecks> {
  const header = toKeyHeader(jwt)
  if (!trust || !header)
    return toUnchecked(trust ? 'it is signed by no algorithm of ours' : 'its issuer is not trusted')
  const checkBy = (lookup: KeyLookup): SignatureChecks | Promise<SignatureChecks> => {
    if (lookup.outcome === 'unknown') return toMissing('unknown-key', lookup.says)
    if (lookup.outcome === 'revoked') return toMissing('revoked', lookup.says)
    if (lookup.outcome === 'unavailable') return toMissing('keys-unavailable', lookup.says)
    const holds = verifySignature(jwt, header, lookup.key)
    return holds === true ? toResult(header, 'holds') : checkAgain(jwt, { header, trust, keys, holds, first: lookup })
  }
  const found = keys.find(trust, header)
  return found instanceof Promise ? found.then(checkBy) : checkBy(found)
}

/** The checks `key` and `signature`. */
type SignatureChecks = [JwtCheck, JwtCheck]

interface FirstTry {
  readonly header: KeyHeader
  readonly trust: JwtTrust
  readonly keys: KeyFinder
  readonly holds: boolean | Promise<boolean>
  readonly first: Extract<KeyLookup, { outcome: 'found' }>
}

function toKeyHeader({ header: { kid, alg } }: SignedJwt): KeyHeader | undefined {
  if (!isSignatureAlgorithm(alg) || (kid !== undefined && typeof kid !== 'string')) return undefined
  return { kid, alg }
}

/**
 * Verifies on the calling thread, because the thread pool adds half of the time of an ES256 signature. Only the curves that take ten times
 * as long use the pool, so that they do not delay tokens that are in the cache.
 */
export function verifySignature(
  { signingInput, signature }: SignedJwt,
  { alg }: Pick<KeyHeader, 'alg'>,
  { key }: Pick<PublishedKey, 'key'>,
): boolean | Promise<boolean> {
  const { digest, bytes, thread, padding, saltLength, dsaEncoding } = signatureForms[alg]
  if (bytes !== undefined && signature.length !== bytes) return false
  const input = Buffer.from(signingInput, 'latin1') // the input is ASCII
  const settings = { key, padding, saltLength, dsaEncoding }
  return thread === 'pool'
    ? verifyInPool(digest, input, settings, signature)
    : verify(digest, input, settings, signature)
}

const verifyInPool = promisify(verify)

/**
 * Signs in the forms that {@link verifySignature} verifies, always in the thread pool, because an RSA signature takes up to 8 ms.
 * @param key A private key that fits the algorithm.
 */
export function createSignature(input: string, alg: SignatureAlgorithm, key: KeyObject): Promise<Buffer> {
  const { digest, padding, saltLength, dsaEncoding } = signatureForms[alg]
  return signInPool(digest, Buffer.from(input, 'latin1'), { key, padding, saltLength, dsaEncoding })
}

const signInPool = promisify(sign)

/** The encoding and the digest of a signature, in the terms of `node:crypto`. */
interface SignatureForm {
  /** `null` if the algorithm includes its own digest. */
  readonly digest: string | null
  /** The exact length, for algorithms whose key does not determine it. */
  readonly bytes?: number
  readonly thread?: 'pool'
  readonly padding?: number
  readonly saltLength?: number
  readonly dsaEncoding?: 'ieee-p1363'
}

/** RSASSA-PSS uses a salt as long as the digest (RFC 7518, section 3.5), and an ECDSA signature is R and S without ASN.1 (section 3.4). */
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } as const
const ecdsa = { dsaEncoding: 'ieee-p1363' } as const
/** EdDSA (RFC 8032, section 5.1) hashes the message itself. */
const edwards: SignatureForm = { digest: null, bytes: 64 }

const signatureForms: Readonly<Record<SignatureAlgorithm, SignatureForm>> = {
  RS256: { digest: 'sha256' },
  RS384: { digest: 'sha384' },
  RS512: { digest: 'sha512' },
  PS256: { digest: 'sha256', ...pss },
  PS384: { digest: 'sha384', ...pss },
  PS512: { digest: 'sha512', ...pss },
  ES256: { digest: 'sha256', bytes: 64, ...ecdsa },
  ES384: { digest: 'sha384', bytes: 96, thread: 'pool', ...ecdsa },
  ES512: { digest: 'sha512', bytes: 132, thread: 'pool', ...ecdsa },
  EdDSA: edwards,
  Ed25519: edwards,
}

function toResult({ kid, alg }: KeyHeader, signature: 'holds' | 'does not hold'): SignatureChecks {
  const named = kid === undefined ? `the only one for ${alg}` : describeValue(kid)
  return [
    { name: 'key', outcome: 'pass', note: `the key of the issuer is ${named}` },
    signature === 'holds'
      ? { name: 'signature', outcome: 'pass', note: 'the signature holds' }
      : { name: 'signature', outcome: 'fail', note: 'the signature does not hold', reason: 'signature' },
  ]
}

function toUnchecked(note: string): SignatureChecks {
  return [{ name: 'key', outcome: 'skipped', note: `no key was looked for: ${note}` }, unverified]
}

const unverified: JwtCheck = { name: 'signature', outcome: 'skipped', note: 'it cannot be verified without the key' }

function toMissing(reason: 'unknown-key' | 'revoked' | 'keys-unavailable', note: string): SignatureChecks {
  return [{ name: 'key', outcome: 'fail', note, reason }, unverified]
}

/** After a wrong signature, the keys are fetched again: the issuer may have replaced a key that has no `kid`. */
async function checkAgain(jwt: SignedJwt, { header, trust, keys, holds, first }: FirstTry): Promise<SignatureChecks> {
  if (await holds) return toResult(header, 'holds')
  if (header.kid !== undefined) return toResult(header, 'does not hold')
  await keys.renew(trust)
  const next = await keys.find(trust, header)
  const isOther = next.outcome === 'found' && !next.key.key.equals(first.key.key)
  return toResult(header, isOther && (await verifySignature(jwt, header, next.key)) ? 'holds' : 'does not hold')
}
