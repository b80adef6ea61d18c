import { toSha256 } from '../digest.ts'
import type { Secret } from '../secret.ts'

/** The beginning of a token's SHA-256, by which it is recognized where the token itself must not stand. */
export function digestToken(token: Secret): string {
  return toSha256(token.reveal()).slice(0, digits)
}

/** In hexadecimal digits: enough to tell a token from every other one of its user. */
const digits = 16
