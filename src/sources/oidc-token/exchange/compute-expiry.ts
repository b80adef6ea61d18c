import type { Granted } from '../../oauth/exchange/send-grant.ts'

/**
 * When an issued token ends by this machine's clock: the earlier of what the answer states and what the token itself says, if it is
 * a JWT; `undefined` where neither says it.
 */
export function computeExpiry(
  { expiresInSec, sentAt, clockOffsetMs }: Pick<Granted, 'expiresInSec' | 'sentAt' | 'clockOffsetMs'>,
  claims: Readonly<Record<string, unknown>> | undefined,
): Date | undefined {
  const ends: number[] = []
  // From before the request, because the token cannot have been issued earlier.
  if (expiresInSec !== undefined) ends.push(sentAt + expiresInSec * 1000)
  if (typeof claims?.exp === 'number') ends.push(claims.exp * 1000 - clockOffsetMs)
  const date = new Date(Math.min(...ends))
  return Number.isNaN(date.getTime()) ? undefined : date
}
