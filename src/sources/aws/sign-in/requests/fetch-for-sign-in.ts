import { setTimeout as sleep } from 'node:timers/promises'
import type { NetworkCall } from '../../../../helper/define-helper.ts'
import { createNetworkFetch } from '../../../../runtime/network/fetch/network-fetch.ts'
import { retry } from '../../../../runtime/network/fetch/retry.ts'
import {
  computePauseMs,
  fromOutcome,
  isRepeatable,
  type Outcome,
  toOutcome,
} from '../../../../runtime/network/fetch/retry-policy.ts'

/** The longest that one attempt may take, in milliseconds. Our decision, as for every other request to AWS. */
const longestAttemptMs = 10_000

/** What a request needs of the sign-in that sends it. */
type CallParts = Pick<NetworkCall, 'deadline' | 'network'>

/** The other side of a request, and its name in messages. */
interface SignInRequest {
  readonly name: string
  readonly url: string
}

/**
 * As `fetchInTime`, for requests of a sign-in: its deadline is what a person may take, and a host that is silent must not use up
 * that time, during which every start joins the same sign-in.
 * @param init A function where each attempt has headers of its own, such as a proof that is used once.
 * @throws {HelperError} `late`, `unavailable`, or what the connection itself explains.
 */
export async function fetchForSignIn(
  call: CallParts,
  request: SignInRequest,
  init: RequestInit | (() => RequestInit) = {},
): Promise<Response> {
  const { deadline } = call
  let method = 'GET'
  const send = () => {
    const attempt = typeof init === 'function' ? init() : init
    method = attempt.method ?? 'GET'
    return sendOnce(call, request, attempt)
  }
  const outcome = await retry(send, {
    findPauseMs: (last, attempt) => {
      const pauseMs = isRepeatable(method, last) ? computePauseMs(last, attempt) : Infinity
      return pauseMs < deadline.remainingMs() ? pauseMs : undefined
    },
    prepare: async (_, pauseMs) => {
      await deadline.during(`${request.name} (waiting to retry)`, ({ signal }) => sleep(pauseMs, undefined, { signal }))
      return 'ready'
    },
  })
  return fromOutcome(outcome)
}

async function sendOnce(
  { deadline, network }: CallParts,
  { name, url }: SignInRequest,
  init: RequestInit,
): Promise<Outcome> {
  const limit = new AbortController()
  const timeout = Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
  const timer = setTimeout(() => limit.abort(timeout), longestAttemptMs)
  let stage = ''
  const report = (next: string) => {
    stage = next
  }
  try {
    return await deadline.during(
      () => `${name} (${stage})`,
      ({ signal: late }) => {
        const signal = AbortSignal.any([late, limit.signal])
        return toOutcome(createNetworkFetch({ network, scope: 'any-host', signal, report })(url, init))
      },
    )
  } finally {
    clearTimeout(timer)
  }
}
