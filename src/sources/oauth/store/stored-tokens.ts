// Says whether stored tokens can be used, and makes the failures for tokens that cannot.

import { shortestLifeMs, toleratedStepMs } from '../../../contract/freshness.ts'
import type { BearerTokenType } from '../../../contract/oauth-names.ts'
import type { Call, Refresh } from '../../../helper/define-helper.ts'
import type { Deadline } from '../../../runtime/deadline.ts'
import { digestToken } from '../../../runtime/digest.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { nextSessionHint } from '../flow.ts'
import { computeTokenExpiry } from '../oidc/provider.ts'
import type { RefusedToken, SignInStore, StoredSignIn } from './sign-in-store.ts'

/** Returns whether the times of a sign-in can be trusted: none is in the future, by another clock or after this one was set back. */
export function isCredible(signIn: StoredSignIn, now: number): boolean {
  return toIssueTime(signIn) <= now + toleratedStepMs
}

/** Returns the issue time of a sign-in's tokens, by the sign-in itself or by a renewal. */
export function toIssueTime({ since, renewedAt = since }: StoredSignIn): number {
  return renewedAt
}

/** Returns whether tokens that cannot be renewed stay valid for a while, and were not refused. */
export function hasValidTokens(signIn: StoredSignIn, now: number): boolean {
  const expiry = computeTokenExpiry(signIn.tokens)
  return isCredible(signIn, now) && expiry - now > shortestLifeMs && !isRefused(signIn)
}

/**
 * Returns whether the remaining tokens can be used instead of new ones, which would need a person. In `mid-session-refresh` they can only
 * if the client's ttl has passed, because otherwise the gateway may have refused them.
 */
export function mayUseStored(
  signIn: StoredSignIn,
  now: number,
  { context, refresh }: Pick<Call, 'context' | 'refresh'>,
): boolean {
  const isExpiry = refresh?.cause === 'expired' && !refresh.isRepeated
  return (context !== 'mid-session-refresh' || isExpiry) && hasValidTokens(signIn, now)
}

/** Describes that a run goes on with the remaining tokens, for the end of a warning. An exchange that follows may still refuse them. */
export function describeStored({ tokens: { expiresAt } }: StoredSignIn): string {
  return `going on with the stored tokens${expiresAt ? `, which expire at ${expiresAt.toISOString()}` : ''}`
}

/** Finds the token for the gateway. */
export function findBearer({ tokens }: Pick<StoredSignIn, 'tokens'>, type: BearerTokenType): Secret | undefined {
  return type === 'id_token' ? tokens.idToken : tokens.accessToken
}

export function isRefused({ tokens, refused }: Pick<StoredSignIn, 'tokens' | 'refused'>): boolean {
  if (!refused) return false
  return [tokens.idToken, tokens.accessToken].some((token) => token && digestToken(token) === refused.digest)
}

/** Returns whether the token of a sign-in is among the tokens of which the gateway has just refused one. */
export function isAmongRefused(token: Secret, expiresAt: Date | undefined, refused: Refresh['refused']): boolean {
  return refused.has(digestToken(token)) || (refused.has(undefined) && expiresAt === undefined)
}

interface RefusalParts {
  readonly deadline: Deadline
  readonly now: number
  readonly bearerTokenType: BearerTokenType
}

/**
 * Records that the gateway has refused the stored token, if the store still holds that token.
 * @throws {HelperError} if the store cannot be read or changed.
 */
export async function recordRefusal(
  store: SignInStore,
  refresh: Refresh,
  { deadline, now, bearerTokenType }: RefusalParts,
): Promise<void> {
  const find = (signIn: StoredSignIn) => {
    const token = findBearer(signIn, bearerTokenType)
    const isNews = token && !isRefused(signIn) && isAmongRefused(token, signIn.tokens.expiresAt, refresh.refused)
    return isNews ? token : undefined
  }
  await store.change(deadline, {
    isEnough: (current) => find(current) === undefined,
    make: async (current) => {
      const token = current && find(current)
      return token && { ...current, refused: { digest: digestToken(token), ...toTimes(refresh, now) } }
    },
  })
}

function toTimes({ heldSince }: Refresh, now: number): Omit<RefusedToken, 'digest'> {
  return { at: now, heldSec: Math.round((now - (heldSince ?? now)) / 1000) }
}

/** Creates the failure for a missing sign-in. */
export function toNotSignedIn(subject: string): HelperError {
  return toRequired(`nobody is signed in to ${subject}`)
}

/** Creates the failure for a sign-in that cannot be renewed and has ended, was refused, or does not suffice for this run. */
export function toEnded(
  signIn: StoredSignIn,
  subject: string,
  { now, refresh }: { readonly now: number; readonly refresh: Refresh | undefined },
): HelperError {
  const { tokens, refused } = signIn
  const { expiresAt } = tokens
  if (refused && isRefused(signIn)) return toRefused(refused, subject)
  // The refusal may not be in the store, because it could not be recorded or this run is `--explain`.
  if (refresh && refresh.refused.size > 0) return toRefused(toTimes(refresh, now), subject)
  if (expiresAt && expiresAt.getTime() <= now)
    return toRequired(`the sign-in to ${subject} expired at ${expiresAt.toISOString()}`)
  return toRequired(`the sign-in to ${subject} cannot be renewed without a person`)
}

/** Creates the failure for a token that the gateway has refused, or that may be invalid after a faulty renewal. */
export function toRefused({ at, heldSec }: Omit<RefusedToken, 'digest'>, subject: string): HelperError {
  const moment = new Date(at).toISOString()
  if (heldSec === undefined)
    return toRequired(`the renewal of the sign-in to ${subject} at ${moment} failed its checks`)
  return toRequired(
    `the gateway refused the token of the sign-in to ${subject} at ${moment}, ${heldSec} s after a client had got it`,
  )
}

function toRequired(message: string): HelperError {
  return new HelperError('sign-in-required', message, nextSessionHint)
}
