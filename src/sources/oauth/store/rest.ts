import type { Call } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { computeEarliestExpiry } from '../oidc/tokens.ts'
import type { StoredSignIn } from './sign-in-store.ts'

/** In milliseconds: tokens with less life left are used no more. Our decision, as for SSO. */
const shortestRestMs = 60_000

/** In milliseconds: a clock that was set back by less does no harm. */
const toleratedStepMs = 60_000

/** Whether the times of a sign-in can be used: one from the future was dated by another clock, or the clock was set back since. */
export function isCredible({ since, renewedAt = since }: StoredSignIn, now: number): boolean {
  return renewedAt <= now + toleratedStepMs
}

/** Whether tokens that cannot be renewed live for a while. */
export function hasRest(signIn: StoredSignIn, now: number): boolean {
  const expiry = computeEarliestExpiry(signIn.tokens) ?? Number.POSITIVE_INFINITY
  return isCredible(signIn, now) && expiry - now > shortestRestMs
}

/** Whether they can be used in place of new ones: not in `mid-session-refresh`, where the gateway may have refused them. */
export function isRestUsable(signIn: StoredSignIn, now: number, { context }: Pick<Call, 'context'>): boolean {
  return context !== 'mid-session-refresh' && hasRest(signIn, now)
}

/** That they are used, for the end of a warning. */
export function describeRest({ tokens: { expiresAt } }: StoredSignIn): string {
  return `the tokens that are left are used${expiresAt ? ` until ${expiresAt.toISOString()}` : ''}`
}

/** Nobody is signed in. */
export function toNobody(subject: string): HelperError {
  return toRequired(`nobody is signed in to ${subject}`)
}

/** A sign-in that nothing renews has ended, or does not do for this run. */
export function toEnded({ tokens: { expiresAt } }: StoredSignIn, subject: string, now: number): HelperError {
  if (expiresAt && expiresAt.getTime() <= now)
    return toRequired(`the sign-in to ${subject} expired at ${expiresAt.toISOString()}`)
  return toRequired(`the sign-in to ${subject} cannot be renewed without a person`)
}

function toRequired(message: string): HelperError {
  return new HelperError('sign-in-required', message, 'start a new session, in which a person can sign in')
}
