import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Secret } from './secret.ts'

/**
 * SHA-256 of a text as UTF-8, in hexadecimal. It is computed in JavaScript, because a cached call is shorter than loading
 * `node:crypto` takes.
 */
export function toSha256(text: string): string {
  return Buffer.from(sha256(Buffer.from(text))).toString('hex')
}

/** In bytes: below this length, loading `node:crypto` takes longer than computing without it. */
const longestInScript = 16_384

/** SHA-256 of bytes, in hexadecimal. */
export async function digestBytes(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= longestInScript) return Buffer.from(sha256(bytes)).toString('hex')
  const { createHash } = await import('node:crypto')
  return createHash('sha256').update(bytes).digest('hex')
}

/** SHA-1 of a text as UTF-8, in hexadecimal, for file names that AWS derives with it. */
export function toSha1(text: string): string {
  return Buffer.from(sha1(Buffer.from(text))).toString('hex')
}

/** The beginning of a token's SHA-256, by which it is recognized where the token itself must not stand. */
export function digestToken(token: Secret): string {
  return toSha256(token.reveal()).slice(0, digits)
}

/** In hexadecimal digits: enough to tell a token from every other one of its user. */
const digits = 16
