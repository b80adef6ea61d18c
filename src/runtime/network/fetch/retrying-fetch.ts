import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../../failure.ts'
import type { Fetch } from './network-fetch.ts'
import { isTransient, isUnsent, type Outcome, pauseMs } from './retry-policy.ts'

/** As the AWS tools have it. */
const attempts = 3

/** Methods that may be repeated whatever became of the first time (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

/**
 * Asks up to three times, with pauses of random length, or as long as `Retry-After` says. A request that is not
 * idempotent, such as a message or an event, is repeated only where the other side cannot have acted on it.
 * @param longestPauseSec What would have to wait longer is told at once.
 */
export function createRetryingFetch(fetch: Fetch, longestPauseSec: number): Fetch {
  return async (url, init) => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await settle(fetch(url, init))
      const pause = mayRepeat(init.method ?? 'GET', outcome) ? pauseMs(outcome, attempt) : undefined
      if (pause === undefined || attempt === attempts || pause > longestPauseSec * 1000) return unwrap(outcome)
      if ('response' in outcome) await outcome.response.body?.cancel()
      await sleep(pause)
    }
  }
}

/** Whether a request can be sent again without anything happening twice. */
export function mayRepeat(method: string, outcome: Outcome): boolean {
  if (idempotent.has(method.toUpperCase())) return isTransient(outcome)
  if ('trouble' in outcome) return isUnsent(outcome.trouble)
  const { status, headers } = outcome.response
  // Our decision: who counts requests has not begun with this one; who is overloaded and says when to come again neither.
  return status === 429 || ((status === 503 || status === 529) && headers.has('retry-after'))
}

async function settle(asking: Promise<Response>): Promise<Outcome> {
  try {
    return { response: await asking }
  } catch (error) {
    if (error instanceof HelperError) return { trouble: error }
    throw error
  }
}

function unwrap(outcome: Outcome): Response {
  if ('trouble' in outcome) throw outcome.trouble
  return outcome.response
}
