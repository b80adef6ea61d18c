/**
 * The algorithms by which a JWT may be signed, by their value of `alg` (RFC 7518, section 3.1; RFC 8037; RFC 9864). Asymmetric ones
 * only: with a shared key, everybody who verifies could also sign.
 */
export const signatureAlgorithms = {
  RS256: { keyType: 'RSA' },
  RS384: { keyType: 'RSA' },
  RS512: { keyType: 'RSA' },
  PS256: { keyType: 'RSA' },
  PS384: { keyType: 'RSA' },
  PS512: { keyType: 'RSA' },
  ES256: { keyType: 'EC', curve: 'P-256' },
  ES384: { keyType: 'EC', curve: 'P-384' },
  ES512: { keyType: 'EC', curve: 'P-521' },
  EdDSA: { keyType: 'OKP', curve: 'Ed25519' },
  Ed25519: { keyType: 'OKP', curve: 'Ed25519' },
} as const satisfies Readonly<Record<string, SignatureKey>>

/** The key type and curve of an algorithm (RFC 7518, section 6; RFC 8037). */
interface SignatureKey {
  readonly keyType: 'RSA' | 'EC' | 'OKP'
  readonly curve?: string
}

/** The least bits of an RSA key (RFC 7518, sections 3.3 and 3.5). */
export const leastRsaBits = 2048

/** The value of `alg` in the header of a JWT whose signature can be verified. */
export type SignatureAlgorithm = keyof typeof signatureAlgorithms

/** The known values of `alg`; a policy without a list accepts all of them. */
export const signatureAlgorithmNames = Object.keys(signatureAlgorithms) as readonly SignatureAlgorithm[]

/** Returns whether a value of `alg` is exactly one of them. */
export function isSignatureAlgorithm(name: unknown): name is SignatureAlgorithm {
  return typeof name === 'string' && Object.hasOwn(signatureAlgorithms, name)
}
