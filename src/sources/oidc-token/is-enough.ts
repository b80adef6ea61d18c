import type { HelperContext } from '../../contract/context.ts'
import { computeEarliestExpiry } from '../oauth/oidc/tokens.ts'
import type { StoredSignIn } from '../oauth/store/sign-in-store.ts'

/** When a run asks for a token. Times are milliseconds since the epoch. */
export interface TokenDemand {
  readonly context: HelperContext
  readonly now: number
  readonly startedAt: number
  readonly clientTtlSec: number
  /** Where one is renewed early, what ends by then does not do; milliseconds since the epoch. */
  readonly renews?: number | undefined
  /** Earlier tokens do not count. */
  readonly notBefore: number | undefined
}

/** In milliseconds, as for a cached token: how much longer than the client's ttl it has to live; the least that is left of one. */
const marginMs = 60_000

/**
 * Whether the tokens of a sign-in can be printed as they are, with no renewal first. In `mid-session-refresh` the gateway may have
 * refused them, so that only those count that were issued meanwhile; but where nothing renews them, they are all there is, and
 * mostly the client's ttl has passed.
 */
export function isEnough(signIn: StoredSignIn, demand: TokenDemand): boolean {
  const { context, now, startedAt, clientTtlSec, renews } = demand
  const restMs = computeExpiry(signIn) - now
  if (restMs <= 0 || isVoid(signIn, demand)) return false
  if (issuedAt(signIn) >= startedAt) return true
  if (!signIn.tokens.refreshToken) return restMs > marginMs
  if (renews !== undefined && computeExpiry(signIn) <= renews) return false
  return context !== 'mid-session-refresh' && restMs >= clientTtlSec * 1000 + marginMs
}

/** Whether the tokens are from before the date that voids them. One that was issued while this run waited is new, whatever that date. */
export function isVoid(signIn: StoredSignIn, { notBefore, startedAt }: TokenDemand): boolean {
  return notBefore !== undefined && issuedAt(signIn) < Math.min(notBefore, startedAt)
}

/** In milliseconds: a person is asked at the start of a session rather than in the middle of it, where nobody may be asked. */
const lastPartMs = 300_000

/** Whether a sign-in that nothing renews ends so soon that a person who may be asked is asked now; never right after it. */
export function isEnding(signIn: StoredSignIn, { now, clientTtlSec }: TokenDemand): boolean {
  if (signIn.tokens.refreshToken) return false
  const expiry = computeExpiry(signIn)
  return expiry - now < Math.min(lastPartMs, clientTtlSec * 1000, (expiry - signIn.since) / 2)
}

function issuedAt({ since, renewedAt = since }: StoredSignIn): number {
  return renewedAt
}

function computeExpiry({ tokens }: StoredSignIn): number {
  return computeEarliestExpiry(tokens) ?? Number.POSITIVE_INFINITY
}
