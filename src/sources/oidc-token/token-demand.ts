// Says whether the tokens of a sign-in suffice for a run, or a person has to sign in.

import { type HelperContext, isPromptAllowed } from '../../contract/context.ts'
import { marginMs } from '../../contract/freshness.ts'
import { HelperError } from '../../runtime/failure.ts'
import { computeTokenExpiry } from '../oauth/oidc/provider.ts'
import type { StoredSignIn } from '../oauth/store/sign-in-store.ts'
import { toIssueTime } from '../oauth/store/stored-tokens.ts'
import type { OidcTokenCallOptions } from './oidc-token-options.ts'

/** The requirements of a run for the token that it prints. Times are milliseconds since the epoch. */
export interface TokenDemand {
  readonly context: HelperContext
  readonly now: number
  readonly startedAt: number
  readonly clientTtlSec: number
  /** Set for an early renewal: a token that expires before this time does not suffice. */
  readonly renews?: number | undefined
  /** Tokens that were issued before this time do not count. */
  readonly notBefore: number | undefined
}

/**
 * Returns whether the tokens of a sign-in can be printed without a renewal. In `mid-session-refresh` the gateway may have refused them, so
 * only tokens that were issued meanwhile suffice. Tokens that cannot be renewed suffice too, because there are no others, and usually the
 * client's ttl has passed.
 */
export function isEnough(signIn: StoredSignIn, demand: TokenDemand): boolean {
  const { context, now, startedAt, clientTtlSec, renews } = demand
  const leftMs = computeTokenExpiry(signIn.tokens) - now
  if (leftMs <= 0 || isVoid(signIn, demand)) return false
  if (toIssueTime(signIn) >= startedAt) return true
  if (!signIn.tokens.refreshToken) return leftMs > marginMs
  if (renews !== undefined && computeTokenExpiry(signIn.tokens) <= renews) return false
  return context !== 'mid-session-refresh' && leftMs >= clientTtlSec * 1000 + marginMs
}

/** Returns whether the tokens are from before the date that voids them. Those that were issued while this run waited are new. */
export function isVoid(signIn: StoredSignIn, { notBefore, startedAt }: TokenDemand): boolean {
  return notBefore !== undefined && toIssueTime(signIn) < Math.min(notBefore, startedAt)
}

/** Returns whether a run asks a person if that is needed. `--explain` does not, because it only shows what would happen. */
export function isPersonAsked(
  context: HelperContext,
  { 'sign-in': way, explain }: Pick<OidcTokenCallOptions, 'sign-in' | 'explain'>,
): boolean {
  return isPromptAllowed(context) && way !== 'off' && !explain
}

/** In milliseconds: a person is asked at the start of a session, because nobody may be asked in the middle of it. */
const lastPartMs = 300_000

/** Returns whether a sign-in that cannot be renewed ends so soon that a person is asked now; never right after signing in. */
export function isEnding(signIn: StoredSignIn, { now, clientTtlSec }: TokenDemand): boolean {
  if (signIn.tokens.refreshToken) return false
  const expiry = computeTokenExpiry(signIn.tokens)
  return expiry - now < Math.min(lastPartMs, clientTtlSec * 1000, (expiry - signIn.since) / 2)
}

/** Creates the failure of a run that only a new sign-in can help. */
export function toSignInRequired(message: string): HelperError {
  return new HelperError('sign-in-required', message, 'sign in again')
}
