import { createHash, createPublicKey, verify } from 'node:crypto'
import { parseJson } from '../aws-operation.ts'

interface DpopProof {
  /** RFC 7638 thumbprint of the key that signed it. */
  thumbprint: string
  id: string
}

/** Checks a proof of possession (RFC 9449) for this one request. @returns what is wrong with it, in words, if anything is */
export function verifyDpopProof(jwt: string, request: { method: string; url: string; now: Date }): DpopProof | string {
  const [header = '', payload = '', signature = '', ...rest] = jwt.split('.')
  const { alg, typ, jwk } = parseMembers(header)
  const { htm, htu, iat, jti } = parseMembers(payload)
  if (rest.length > 0 || alg !== 'ES256' || typ !== 'dpop+jwt') return 'not a dpop+jwt signed with ES256'
  const key = parsePublicKey(jwk)
  if (!key) return 'the header holds no public P-256 key'
  const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' })
  const text = Buffer.from(`${header}.${payload}`)
  const bytes = Buffer.from(signature, 'base64url')
  if (!verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes)) return 'the signature is wrong'
  if (htm !== request.method || htu !== request.url) return 'made for another request'
  if (typeof iat !== 'number' || Math.abs(request.now.getTime() / 1000 - iat) > toleranceSec)
    return 'made at another time'
  return typeof jti === 'string' ? { thumbprint: renderThumbprint(key), id: jti } : 'without a jti'
}

interface EcPublicKey {
  crv: 'P-256'
  kty: 'EC'
  x: string
  y: string
}

/** Renders the members in the order of RFC 7638, and no others. */
export function renderThumbprint({ crv, kty, x, y }: EcPublicKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

/** `undefined` for another kind of key and for a private one, because a proof that contains its private key proves nothing. */
export function parsePublicKey(jwk: unknown): EcPublicKey | undefined {
  if (typeof jwk !== 'object' || jwk === null || 'd' in jwk) return undefined
  const { crv, kty, x, y } = jwk as Record<string, unknown> // an object, just seen
  if (crv !== 'P-256' || kty !== 'EC' || typeof x !== 'string' || typeof y !== 'string') return undefined
  return { crv, kty, x, y }
}

const toleranceSec = 300

function parseMembers(part: string): Record<string, unknown> {
  const value = parseJson(Buffer.from(part, 'base64url').toString())
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
