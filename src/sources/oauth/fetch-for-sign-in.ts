import { longestAttemptMs } from '../../runtime/network/attempt-in-time.ts'
import { fetchInTime } from '../../runtime/network/fetch-in-time.ts'

/**
 * Does the same as {@link fetchInTime} for requests of a sign-in. Its deadline is the time that a person may take. A silent host must not
 * use up that time, because every run meanwhile joins the same sign-in.
 */
export const fetchForSignIn: typeof fetchInTime = (call, request, init) =>
  fetchInTime(call, { ...request, longestAttemptMs }, init)

/** In milliseconds: the longest that an attempt may take that uses up a refresh token. Most gateways in between wait as long. */
const longestRefreshMs = 20_000

/**
 * Does the same as {@link fetchInTime} for requests of a renewal: one that hangs leaves time for the next one. The request with the
 * refresh token may take longer, but some providers accept the same refresh token again for half a minute only.
 */
export const fetchForRenewal: typeof fetchInTime = (call, request, init) => {
  const longestMs = request.isValidOnce ? longestRefreshMs : longestAttemptMs
  const longest = Math.min(longestMs, call.deadline.remainingMs() / 2)
  return fetchInTime(call, { ...request, longestAttemptMs: longest }, init)
}
