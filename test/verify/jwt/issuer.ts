import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { SignatureAlgorithm } from '../../../src/contract/signature-algorithms.ts'
import type { JwtTrust } from '../../../src/verify/policy/policy.ts'

/** 2026-03-01T12:00:00Z */
export const now = Date.UTC(2026, 2, 1, 12)

export const nowSec = now / 1000

/** A key pair of a test, with the public key as an issuer publishes it. */
export interface TestKey {
  readonly kid: string
  readonly alg: SignatureAlgorithm
  readonly secret: CryptoKey
  readonly jwk: JWK
}

const made = new Map<string, Promise<TestKey>>()

/** Creates one pair for each algorithm and name: they take long to make. */
export function createTestKey(alg: SignatureAlgorithm, kid = `key-${alg}`): Promise<TestKey> {
  const id = `${alg} ${kid}`
  const key = made.get(id) ?? generate(alg, kid)
  made.set(id, key)
  return key
}

async function generate(alg: SignatureAlgorithm, kid: string): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, secret: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** The claims of a token that is good now. */
export const goodClaims = {
  iss: 'https://id.example',
  sub: 'dana',
  aud: 'https://gateway.example',
  iat: nowSec - 60,
  exp: nowSec + 540,
}

/** Signs claims, those of {@link goodClaims} unless others are given; `undefined` takes one away. */
export function signClaims(
  { secret, alg, kid }: TestKey,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT({ ...goodClaims, ...claims }).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(secret)
}

/** Creates the trust that applies unless a test says otherwise. */
export function createTrust(keys: readonly TestKey[], trust: Partial<JwtTrust> = {}): JwtTrust {
  return {
    issuer: goodClaims.iss,
    keys: { inline: { keys: keys.map(({ jwk }) => jwk) } },
    audiences: [goodClaims.aud],
    algorithms: ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
    ...trust,
  }
}
