// Repeats an attempt of any kind: how often, and after which pause; `retry-policy.ts` has the rules for requests.

/** Returns whether a request may be sent once more after so many attempts. */
export function hasAttemptLeft(attempts: number): boolean {
  return attempts < maxAttempts
}

/**
 * The most attempts for any request, the first one included. The AWS SDKs have the same default (AWS SDKs and Tools Reference Guide, "Retry
 * behavior").
 */
const maxAttempts = 3

/** The values that determine the moment of the next attempt. */
interface RetryMoment {
  readonly attempts: number
  /** A random number, at least 0 and below 1. */
  readonly random: number
  /** In milliseconds: the longest possible wait. */
  readonly longestMs: number
}

/**
 * Computes the pause before the next attempt, in milliseconds: at least the pause that the other side asked for, otherwise more after each
 * attempt. Both are partly random, so that many clients do not retry at the same moment.
 */
export function computeRetryPauseMs(saidMs: number | undefined, { attempts, random, longestMs }: RetryMoment): number {
  const ownMs = 200 * 2 ** attempts
  if (saidMs === undefined) return random * ownMs
  // A pause that ends in time still ends in time with its random part, which is at most half of the time that is left.
  return saidMs + random * Math.min(Math.max(computeSpreadMs(saidMs), ownMs), Math.max(0, (longestMs - saidMs) / 2))
}

/** Computes the random part of a pause that the other side has asked for, in milliseconds: half of it, and usually at least a second. */
export function computeSpreadMs(saidMs: number): number {
  return Math.max(saidMs / 2, Math.min(saidMs, 1000))
}

/** Returns whether the next attempt would begin before the call has to end. */
export function isPauseInTime(pauseMs: number, remainingMs: number): boolean {
  return pauseMs < remainingMs
}

/** How one kind of request is retried. */
interface RetryRules<T> {
  /**
   * Finds the pause before the next attempt, in milliseconds; `undefined` for a final outcome.
   * @param attempt Counted from 1.
   */
  findPauseMs(outcome: T, attempt: number): number | undefined
  /** Waits, and prepares the next request. `nothing to send` makes the outcome final. */
  prepare(outcome: T, pauseMs: number): Promise<'ready' | 'nothing to send'>
}

/** Sends a request until its outcome is final, at most as often as {@link hasAttemptLeft} allows, and returns the last outcome. */
export async function retry<T>(send: () => Promise<T>, { findPauseMs, prepare }: RetryRules<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await send()
    const pauseMs = hasAttemptLeft(attempt) ? findPauseMs(outcome, attempt) : undefined
    if (pauseMs === undefined || (await prepare(outcome, pauseMs)) === 'nothing to send') return outcome
  }
}
