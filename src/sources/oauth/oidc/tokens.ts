import type { Secret } from '../../../runtime/secret.ts'

/** What a token endpoint has issued to a person, after every check that the protocol asks for. */
export interface IssuedTokens {
  readonly idToken?: Secret | undefined
  readonly accessToken?: Secret | undefined
  readonly refreshToken?: Secret | undefined
  /** When the one that the gateway gets expires, by this machine's clock; `undefined` where nobody says. */
  readonly expiresAt?: Date | undefined
  /** The provider's clock less this machine's when they were issued, in milliseconds, where the two differed. */
  readonly clockOffsetMs?: number | undefined
  /** The scope as it was granted, where it differs from the request (RFC 6749, section 5.1). */
  readonly scope?: string | undefined
}

/** When the token that the gateway gets expires by either clock, in milliseconds since the epoch; `undefined` where nobody says. */
export function computeEarliestExpiry({ expiresAt, clockOffsetMs = 0 }: IssuedTokens): number | undefined {
  return expiresAt && expiresAt.getTime() + Math.min(0, clockOffsetMs)
}
