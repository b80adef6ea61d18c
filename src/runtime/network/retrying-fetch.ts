// Repeats requests without the deadline of a call, which `fetch-in-time.ts` observes.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Fetch } from './network-fetch.ts'
import { retry } from './retry.ts'
import { findPauseMs, fromOutcome, isRepeatable, waitForOutcome } from './retry-policy.ts'

/**
 * Creates a `fetch` that retries a request that can be sent twice without harm.
 * @param longestPauseSec A response that asks for a longer pause is final.
 */
export function createRetryingFetch(fetch: Fetch, longestPauseSec: number): Fetch {
  // A pause of exactly the longest length is made; a longer one is not.
  const waiting = { longestPauseMs: () => longestPauseSec * 1000 + 1, noteAskedPause: () => {} }
  return async (url, init) => {
    const outcome = await retry(() => waitForOutcome(fetch(url, init)), {
      findPauseMs: (last, attempt) =>
        isRepeatable(init.method ?? 'GET', last) ? findPauseMs(last, attempt, waiting) : undefined,
      prepare: async (last, pauseMs) => {
        if ('response' in last) await last.response.body?.cancel()
        await sleep(pauseMs, undefined, init.signal ? { signal: init.signal } : {})
        return 'ready'
      },
    })
    return fromOutcome(outcome)
  }
}
