// Bounds one attempt of a request by the deadline of a call, without repeating it.

import type { Deadline } from '../deadline.ts'
import type { FetchSettings } from './open-response.ts'

/**
 * Makes one attempt within the deadline of a call. The message of a late call has the stage.
 * @throws an error with the code `ETIMEDOUT` if the attempt took too long, `HelperError` `late` if the call did.
 */
export async function attemptInTime<T>(
  deadline: Deadline,
  { name, longestMs }: TimelyAttempt,
  send: (settings: Pick<FetchSettings, 'signal' | 'report'>) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const timeout = Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
  const timer = longestMs === undefined ? undefined : setTimeout(() => limit.abort(timeout), longestMs)
  let stage = ''
  const report = (next: string) => {
    stage = next
  }
  try {
    return await deadline.during(
      'network',
      () => `${name} (${stage})`,
      ({ signal }) => send({ signal: AbortSignal.any([signal, limit.signal]), report }),
    )
  } finally {
    clearTimeout(timer)
  }
}

/** In milliseconds: the longest that one attempt may take. The deadline of the call bounds all attempts together. Our decision. */
export const longestAttemptMs = 10_000

interface TimelyAttempt {
  /** The name of the other side in the message of a late call. */
  readonly name: string
  /** In milliseconds: the longest that the attempt may take; absent: only the deadline of the call bounds it. */
  readonly longestMs?: number | undefined
}
