import { randomUUID } from 'node:crypto'
import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose'

export const issuer = 'https://issuer.example'
export const audience = 'https://platform.example'

/** A claim of `undefined` is left out. Times are seconds since the epoch. */
export type Claims = Readonly<Record<string, unknown>>

/** An identity provider that signs tokens which a platform can verify, each valid for one exchange. */
export interface IdentityProvider {
  readonly jwks: JSONWebKeySet
  /** A token of five minutes for {@link audience}, where the claims say nothing else. */
  sign(claims?: Claims): Promise<string>
}

export async function createIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const header = { alg: 'ES256', kid: 'stand-in' }
  return {
    jwks: { keys: [{ ...(await exportJWK(publicKey)), ...header }] },
    sign: (claims = {}) => new SignJWT(complete(claims)).setProtectedHeader(header).sign(privateKey),
  }
}

/** Returns a token with these claims and a signature that nobody can verify. */
export function forge(claims: Claims, header: Claims = { alg: 'ES256' }, signature = 'Y2FuYXJ5'): string {
  const parts = [header, complete(claims)].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...parts, signature].join('.')
}

export function nowSec(): number {
  return Math.floor(Date.now() / 1000)
}

function complete(claims: Claims): Record<string, unknown> {
  const iat = nowSec()
  const defaults = { iss: issuer, sub: 'workload', aud: audience, iat, nbf: iat, exp: iat + 300, jti: randomUUID() }
  return Object.fromEntries(Object.entries({ ...defaults, ...claims }).filter(([, value]) => value !== undefined))
}
