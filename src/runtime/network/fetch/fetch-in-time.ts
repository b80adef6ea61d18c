import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../../deadline.ts'
import { HelperError } from '../../failure.ts'
import type { NetworkScope } from '../network-scope.ts'
import type { NetworkSettings } from '../settings.ts'
import { createNetworkFetch } from './network-fetch.ts'
import { retry } from './retry.ts'
import { computePauseMs, fromOutcome, isRepeatable, type Outcome, toOutcome } from './retry-policy.ts'

/** The other side of a request. */
interface TimelyRequest {
  /** Names the other side in the message of a call that is late, such as "the token service". */
  readonly name: string
  readonly url: string
  readonly scope?: NetworkScope
}

/** What a request needs of its call. */
interface CallParts {
  readonly deadline: Deadline
  readonly network: NetworkSettings
}

/**
 * Fetches within the deadline of a call, over its network, and retries where nothing can happen twice. The message of a call
 * that is late says what it was waiting for.
 * @throws {HelperError} `late`, `unavailable`, `not-configured` for an address that is no URL, or what the connection itself
 * explains.
 */
export async function fetchInTime(
  { deadline, network }: CallParts,
  { name, url, scope = 'any-host' }: TimelyRequest,
  init: RequestInit = {},
): Promise<Response> {
  if (!URL.canParse(url))
    throw new HelperError('not-configured', `the address of ${name} is not a URL`, 'write it in full, with https://')
  const send = (): Promise<Outcome> => {
    let stage = ''
    const report = (next: string) => {
      stage = next
    }
    return deadline.during(
      () => `${name} (${stage})`,
      ({ signal }) => toOutcome(createNetworkFetch({ network, scope, signal, report })(url, init)),
    )
  }
  const outcome = await retry(send, {
    findPauseMs: (last, attempt) => {
      // A metadata service that does not accept a connection at once does not exist.
      const isAbsent = 'error' in last && scope === 'metadata'
      const isFinal = isAbsent || !isRepeatable(init.method ?? 'GET', last)
      const pauseMs = isFinal ? Infinity : computePauseMs(last, attempt)
      return pauseMs < deadline.remainingMs() ? pauseMs : undefined
    },
    prepare: async (_, pauseMs) => {
      await deadline.during(`${name} (waiting to retry)`, ({ signal }) => sleep(pauseMs, undefined, { signal }))
      return 'ready'
    },
  })
  return fromOutcome(outcome)
}
