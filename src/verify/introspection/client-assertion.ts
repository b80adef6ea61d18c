import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import {
  isSignatureAlgorithm,
  leastRsaBits,
  type SignatureAlgorithm,
  signatureAlgorithms,
} from '../../contract/signature-algorithms.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import { encodePart } from '../../runtime/tokens/jwt.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { createSignature } from '../jwt/check-signature.ts'

/** The type of the assertion of a client (RFC 7523, section 2.2). */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** Signs a single-use JWT that authenticates a client (RFC 7523, section 3). */
export async function signClientAssertion(
  { key, alg, kid }: ClientKey,
  { clientId, issuer, now }: AssertionFacts,
): Promise<string> {
  const iat = Math.floor(now / 1000)
  const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat, exp: iat + assertionSec }
  const input = [{ alg, kid }, claims].map(encodePart).join('.')
  return `${input}.${(await createSignature(input, alg, key)).toString('base64url')}`
}

/** The life of an assertion, in seconds. Each request gets a new one. Our decision. */
const assertionSec = 60

interface ClientKey {
  readonly key: KeyObject
  readonly alg: SignatureAlgorithm
  readonly kid: string | undefined
}

interface AssertionFacts {
  readonly clientId: string
  /** The provider, which is the only audience (draft-ietf-oauth-rfc7523bis, section 4). */
  readonly issuer: string
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Parses the private key of a client: a JWK, whose `alg` and `kid` are used, or PEM.
 * @throws {HelperError} `not-configured` for anything else. The message repeats no part of the text.
 */
export function parseSigningKey(text: Secret): ClientKey {
  const jwk = parseObject(text.reveal())
  const key = parseKey(text, jwk)
  const usual = key && usualAlgorithms[key.asymmetricKeyDetails?.namedCurve ?? key.asymmetricKeyType ?? '']
  const alg = jwk?.alg ?? usual
  const isFitting = usual !== undefined && isSignatureAlgorithm(alg) && isSameKind(alg, usual) && isLongEnough(key)
  const kid = jwk?.kid
  if (key && isFitting && (kid === undefined || typeof kid === 'string')) return { key, alg, kid }
  throw new HelperError(
    'not-configured',
    'the private key of the client cannot be used',
    `write it into the file as PEM or as a JWK: RSA of ${leastRsaBits} bits or more, Ed25519 or a curve P-256, P-384 or P-521, with an alg that fits it`,
  )
}

/** The algorithm of a key whose JWK names none. The names are those of `node:crypto` for curves and key types. */
const usualAlgorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  rsa: 'RS256',
  ed25519: 'EdDSA',
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
}

function parseKey(text: Secret, jwk: Record<string, unknown> | undefined): KeyObject | undefined {
  try {
    return createPrivateKey(jwk ? { key: jwk, format: 'jwk' } : text.reveal())
  } catch {
    return undefined // the message must not describe a private key
  }
}

function isSameKind(one: SignatureAlgorithm, other: SignatureAlgorithm): boolean {
  const [first, second]: { keyType: string; curve?: string }[] = [signatureAlgorithms[one], signatureAlgorithms[other]]
  return first?.keyType === second?.keyType && first?.curve === second?.curve
}

function isLongEnough(key: KeyObject | undefined): boolean {
  return (key?.asymmetricKeyDetails?.modulusLength ?? Infinity) >= leastRsaBits
}
