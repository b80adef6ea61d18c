import { longestAttemptMs } from '../../runtime/network/attempt-in-time.ts'
import { fetchInTime } from '../../runtime/network/fetch-in-time.ts'

/**
 * Fetches as {@link fetchInTime} does, with a limit for each attempt, for a sign-in. The deadline of a sign-in is the time that a person
 * may take, and a silent host must not use it up, because every run meanwhile joins the same sign-in.
 */
export const fetchForSignIn: typeof fetchInTime = (call, request, init) =>
  fetchInTime(call, { ...request, longestAttemptMs }, init)

/** In milliseconds: the longest attempt of a request that uses up a refresh token. Our decision. */
const longestRefreshMs = 20_000

/**
 * Fetches as {@link fetchInTime} does, with a limit for each attempt, for a renewal, so that a request that hangs leaves time for the next
 * one. The request with the refresh token may take longer, because some providers accept the same refresh token again only for half a
 * minute.
 */
export const fetchForRenewal: typeof fetchInTime = (call, request, init) => {
  const usualMs = request.isValidOnce ? longestRefreshMs : longestAttemptMs
  const longestMs = Math.min(usualMs, call.deadline.remainingMs() / 2)
  return fetchInTime(call, { ...request, longestAttemptMs: longestMs }, init)
}
