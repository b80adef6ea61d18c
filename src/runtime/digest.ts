import { sha1 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'

/** SHA-256 of a text as UTF-8, in hexadecimal. In JavaScript, because loading `node:crypto` takes longer than a whole cached call may. */
export function toSha256(text: string): string {
  return Buffer.from(sha256(Buffer.from(text))).toString('hex')
}

/** SHA-1 of a text as UTF-8, in hexadecimal: for names that others chose so. */
export function toSha1(text: string): string {
  return Buffer.from(sha1(Buffer.from(text))).toString('hex')
}
