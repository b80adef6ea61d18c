import { createPublicKey, type KeyObject, randomUUID, sign } from 'node:crypto'

/**
 * Proves for one POST that its sender has the key to which the sign-in is bound (RFC 9449, section 4.2). A proof is used once.
 * @param request `url` is without query; `now` in milliseconds since the epoch.
 */
export function signDpopProof(key: KeyObject, { url, now }: { url: string; now: number }): string {
  const { kty, crv, x, y } = createPublicKey(key).export({ format: 'jwk' })
  const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }
  const claims = { htm: 'POST', htu: url, iat: Math.floor(now / 1000), jti: randomUUID() }
  const text = `${encodePart(header)}.${encodePart(claims)}`
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
