import { Sha256 } from '@aws-crypto/sha256-js'
import type { Vendor } from '../vendor/setting.ts'
import type { Secret } from './secret.ts'

/**
 * Digests a text as UTF-8 with SHA-256, in hexadecimal. It is computed in JavaScript, because a cached call is shorter than loading
 * `node:crypto` takes.
 */
export function toSha256(text: string): string {
  return compute(Buffer.from(text))
}

/** In bytes: below this length, loading `node:crypto` takes longer than computing without it. */
const longestInScript = 16_384

/** Digests bytes with SHA-256, in hexadecimal. */
export async function digestBytes(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= longestInScript) return compute(bytes)
  return (await import('node:crypto')).hash('sha256', bytes)
}

/** Digests all names of a vendor. Two programs with the same digest have the same names, from whatever file. */
export function digestNames(names: Vendor): string {
  return toSha256(JSON.stringify(Object.entries(names).toSorted())).slice(0, 8)
}

/** Digests a token to the beginning of its SHA-256, which identifies the token where the token itself must not stand. */
export function digestToken(token: Secret): string {
  return toSha256(token.reveal()).slice(0, digits)
}

/** In hexadecimal digits: enough to distinguish all tokens of one user. */
const digits = 16

function compute(bytes: Uint8Array): string {
  const hash = new Sha256()
  hash.update(bytes)
  return Buffer.from(hash.digestSync()).toString('hex')
}
