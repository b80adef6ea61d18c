import { setTimeout as sleep } from 'node:timers/promises'
import type { Fetch } from './network-fetch.ts'
import { retry } from './retry.ts'
import { computePauseMs, fromOutcome, isRepeatable, toOutcome } from './retry-policy.ts'

/**
 * A `fetch` that retries where nothing can happen twice.
 * @param longestPauseSec A response that asks for a longer pause is final.
 */
export function createRetryingFetch(fetch: Fetch, longestPauseSec: number): Fetch {
  return async (url, init) => {
    const outcome = await retry(() => toOutcome(fetch(url, init)), {
      findPauseMs: (last, attempt) => {
        const pauseMs = isRepeatable(init.method ?? 'GET', last) ? computePauseMs(last, attempt) : Infinity
        return pauseMs <= longestPauseSec * 1000 ? pauseMs : undefined
      },
      prepare: async (last, pauseMs) => {
        if ('response' in last) await last.response.body?.cancel()
        await sleep(pauseMs)
        return 'ready'
      },
    })
    return fromOutcome(outcome)
  }
}
