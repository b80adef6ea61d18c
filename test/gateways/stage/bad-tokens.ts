import type { RotatingIssuer } from '../../stand-ins/issuer/rotating-issuer.ts'
import { audience, people } from './print-tokens.ts'

/** Renders a JWT that says of itself that nobody signed it (RFC 7519, section 6). */
export function renderUnsignedJwt({ issuer }: RotatingIssuer): string {
  const exp = Math.floor(Date.now() / 1000) + 300
  const claims = { iss: issuer, aud: audience.jwt, exp, ...people.dana }
  const parts = [{ alg: 'none', typ: 'JWT' }, claims].map((part) => encode(JSON.stringify(part)))
  return `${parts.join('.')}.`
}

/** Renders the same with the signature of another token behind it, for who looks only whether there is one. */
export function renderHalfSignedJwt(issuer: RotatingIssuer, jwt: string): string {
  return `${renderUnsignedJwt(issuer)}${jwt.split('.').at(-1)}`
}

/** Returns a JWT with another claim under the signature that it had. */
export function tamper(jwt: string, claims: Readonly<Record<string, unknown>>): string {
  const [header, payload = '', signature] = jwt.split('.')
  const before: object = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return [header, encode(JSON.stringify({ ...before, ...claims })), signature].join('.')
}

/** Returns a proof of an AWS identity that would have the verifier ask another host. */
export function leadElsewhere(proof: string, host: string): string {
  const [version, encoded = ''] = proof.split('.')
  const url = new URL(Buffer.from(encoded, 'base64url').toString())
  url.host = host
  return `${version}.${encode(url.href)}`
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url')
}
