import { sha1 as sha1Of } from '@noble/hashes/legacy.js'
import { sha256 as sha256Of } from '@noble/hashes/sha2.js'

/** SHA-256 of a text as UTF-8, in hexadecimal. In JavaScript, because loading `node:crypto` takes longer than a whole cached call may. */
export function sha256(text: string): string {
  return Buffer.from(sha256Of(Buffer.from(text))).toString('hex')
}

/** SHA-1 of a text as UTF-8, in hexadecimal: for names that others chose so. */
export function sha1(text: string): string {
  return Buffer.from(sha1Of(Buffer.from(text))).toString('hex')
}
