import type { Secret } from '../secret.ts'

/**
 * The header `authorization` of a client with a secret (RFC 6749, section 2.3.1). Both are encoded as in a form before they are joined by
 * a colon, because they may contain a colon.
 */
export function encodeClientCredentials(id: string, secret: Secret): string {
  const [user, password] = [id, secret.reveal()].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
