import { hash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../secret.ts'

/**
 * Encodes the header `authorization` of a client with a secret (RFC 6749, section 2.3.1). The ID and the secret are form-encoded before
 * they are joined by a colon, because they may contain a colon.
 */
export function encodeClientCredentials(id: string, secret: Secret): string {
  const [user, password] = [id, secret.reveal()].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
  return encodeBasic(user!, password!)
}

/** Encodes the value of a header for Basic authentication (RFC 7617, section 2). */
export function encodeBasic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Compares a credential in a time that reveals neither its length nor how much of it is right. */
export function isSameCredential(given: string, expected: string): boolean {
  // Digests have equal lengths, as `timingSafeEqual` requires.
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
}
