// Folder: facts that a token states, read without its issuer.

import type { Secret } from '../secret.ts'
import { parseObject, type RawObject } from '../values/json-value.ts'

/** The parts of a JWT, read without verifying its signature. */
export interface Jwt {
  readonly header: RawObject
  readonly claims: Claims
  readonly signature: string
}

/** The claims of a token, unchecked (RFC 7519, section 4). */
export type Claims = RawObject

/** The claims that distinguish identities (RFC 7519, section 4.1): issuer, subject and audience. */
export type TokenIdentity = readonly [issuer: unknown, subject: unknown, audience: unknown]

/** Parses the compact form (RFC 7519, section 3); `undefined` for anything else. */
export function parseJwt(text: string): Jwt | undefined {
  const parts = text.split('.')
  if (parts.length !== 3 || !parts.every(isBase64Url)) return undefined
  const [header, claims] = parts.slice(0, 2).map(parsePart)
  return header && claims && { header, claims, signature: parts[2]! }
}

/** Parses the claims of an ID token or another JWT, unverified; `undefined` without a token, and for one that is not a JWT. */
export function parseClaims(token: Secret | undefined): Claims | undefined {
  return token && parseJwt(token.reveal())?.claims
}

/** Parses the identity in a JWT; `undefined` for a text that is not a JWT. */
export function parseIdentity(text: string): TokenIdentity | undefined {
  const jwt = parseJwt(text)
  return jwt && [jwt.claims.iss ?? null, jwt.claims.sub ?? null, jwt.claims.aud ?? null]
}

/** Returns whether a part is base64url without padding (RFC 7515, section 2). */
export function isBase64Url(part: string): boolean {
  return /^[\w-]*$/.test(part)
}

/** Returns the name of a type (`typ`) without the prefix that may be omitted, in lower case (RFC 7515, section 4.1.9). */
export function normalizeType(name: string): string {
  return name.toLowerCase().replace(/^application\//, '')
}

/** Parses the header or the claims of a JWT; `undefined` for any other text. */
export function parsePart(part: string): RawObject | undefined {
  return parseObject(Buffer.from(part, 'base64url').toString('utf8'))
}

/** Encodes the header or the claims of a JWT (RFC 7519, section 7.1). */
export function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
