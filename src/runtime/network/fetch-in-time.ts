// Sends the requests of a helper: within the deadline of its call, and again if that does no harm.

import type { Deadline } from '../deadline.ts'
import { HelperError } from '../failure.ts'
import type { NetworkScope } from './addresses.ts'
import { attemptInTime } from './attempt-in-time.ts'
import { createNetworkFetch } from './network-fetch.ts'
import { retry } from './retry.ts'
import {
  type AttemptOutcome,
  findPauseMs,
  fromOutcome,
  isRepeatable,
  isTransient,
  isUnsent,
  waitForOutcome,
} from './retry-policy.ts'
import type { NetworkSettings } from './settings.ts'

/**
 * Fetches within the deadline of a call, over its network, and retries a request that can be sent twice without harm.
 * @param init A function if each attempt has headers of its own, such as a proof that is used once.
 * @throws {HelperError} `late`, `unavailable`, `not-configured` for an address that is not a URL, or the failure that the connection itself
 * explains.
 */
export async function fetchInTime(
  { deadline, network }: { readonly deadline: Deadline; readonly network: NetworkSettings },
  request: TimelyRequest,
  init: RequestInit | (() => RequestInit) = {},
): Promise<Response> {
  const { name, url, scope = 'any-host', longestAttemptMs, isValidOnce } = request
  if (!URL.canParse(url))
    throw new HelperError('not-configured', `the address of ${name} is not a URL`, 'write it in full, with https://')
  let method = 'GET'
  const send = (): Promise<AttemptOutcome> => {
    const attempt = typeof init === 'function' ? init() : init
    method = attempt.method ?? 'GET'
    return attemptInTime(isValidOnce ? deadline.whole : deadline, { name, longestMs: longestAttemptMs }, (settings) =>
      waitForOutcome(createNetworkFetch({ network, scope, ...settings })(url, attempt)),
    )
  }
  const outcome = await retry(send, {
    findPauseMs: (last, attempt) => {
      // A metadata service that does not accept a connection at once does not exist.
      const isAbsent = 'error' in last && scope === 'metadata'
      const isFinal = isAbsent || !mayRepeat(request, method, last)
      return isFinal ? undefined : findPauseMs(last, attempt, deadline)
    },
    prepare: async (_, pauseMs) => {
      await deadline.pause('network', `${name} (waiting to retry)`, pauseMs)
      return 'ready'
    },
  })
  return fromOutcome(outcome)
}

/** The other side of a request. */
interface TimelyRequest {
  /** The name of the other side in the message of a late call, such as "the token service". */
  readonly name: string
  readonly url: string
  readonly scope?: NetworkScope
  /** Whether the request may be repeated whatever happened to the first one; absent: its method decides. */
  readonly isIdempotent?: boolean
  /**
   * Whether the request has a value that is valid once, such as an authorization code. It is repeated only if nothing of it can have
   * arrived.
   */
  readonly isValidOnce?: boolean
  /** In milliseconds: the longest attempt, for a call with a much later deadline, such as one that waits for a person. */
  readonly longestAttemptMs?: number
}

function mayRepeat({ isIdempotent, isValidOnce }: TimelyRequest, method: string, last: AttemptOutcome): boolean {
  if (isValidOnce) return 'error' in last && isUnsent(last.error)
  return isIdempotent ? isTransient(last) : isRepeatable(method, last)
}
