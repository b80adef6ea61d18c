import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'

/**
 * SHA-256 of a text as UTF-8, in hexadecimal. It is computed in JavaScript, because a cached call is shorter than loading
 * `node:crypto` takes.
 */
export function toSha256(text: string): string {
  return Buffer.from(sha256(Buffer.from(text))).toString('hex')
}

/** SHA-1 of a text as UTF-8, in hexadecimal, for file names that AWS derives so. */
export function toSha1(text: string): string {
  return Buffer.from(sha1(Buffer.from(text))).toString('hex')
}
