import type { Secret } from '../secret.ts'

/**
 * Encodes the header `authorization` of a client with a secret (RFC 6749, section 2.3.1). The ID and the secret are form-encoded before
 * they are joined by a colon, because they may contain a colon.
 */
export function encodeClientCredentials(id: string, secret: Secret): string {
  const [user, password] = [id, secret.reveal()].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
