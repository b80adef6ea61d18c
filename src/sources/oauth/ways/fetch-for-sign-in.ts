import { fetchInTime } from '../../../runtime/network/fetch/fetch-in-time.ts'

/** The longest that one attempt may take, in milliseconds. Our decision, as for every request to AWS. */
const longestAttemptMs = 10_000

/**
 * As {@link fetchInTime}, for requests of a sign-in: its deadline is what a person may take, and a host that is silent must not
 * use up that time, during which every start joins the same sign-in.
 */
export const fetchForSignIn: typeof fetchInTime = (call, request, init) =>
  fetchInTime(call, { ...request, longestAttemptMs }, init)
