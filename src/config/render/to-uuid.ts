import { hash } from 'node:crypto'

/** Derives a UUID of version 8 (RFC 9562, section 5.8) from the content: half of its SHA-256 digest. */
export function toUuid(content: string): string {
  const digest = hash('sha256', content)
  const variant = ((Number.parseInt(digest[16]!, 16) & 3) | 8).toString(16)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join('-')
}
