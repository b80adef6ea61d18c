import { setTimeout as sleep } from 'node:timers/promises'
import { StandardRetryStrategy } from '@smithy/core/retry'
import type { RetryErrorInfo, StandardRetryToken } from '@smithy/types'
import type { Deadline } from '../../../runtime/deadline.ts'
import type { WatchedHandler } from './watched-handler.ts'

/** As the AWS tools have it. */
const attempts = 3

/**
 * The SDK's own way to retry, with jitter and only what may pass, except that `Retry-After` wins: the SDK waits at most
 * five seconds of it, and would ask again while the service still says no. What lies beyond the call's deadline is not
 * waited for, so that a token in the cache is served at once.
 */
export class TransientRetryStrategy extends StandardRetryStrategy {
  readonly #deadline: Deadline
  readonly #handler: WatchedHandler

  constructor(deadline: Deadline, handler: WatchedHandler) {
    super(attempts)
    this.#deadline = deadline
    this.#handler = handler
  }

  override async refreshRetryTokenForRetry(
    token: StandardRetryToken,
    info: RetryErrorInfo,
  ): Promise<StandardRetryToken> {
    this.#handler.stage = 'waiting to ask again'
    const notBefore = info.retryAfterHint?.getTime() ?? 0
    if (notBefore - Date.now() >= this.#deadline.remainingMs()) throw new Error('asked to wait beyond the deadline')
    const next = await super.refreshRetryTokenForRetry(token, withTimeout(info))
    await sleep(Math.max(0, notBefore - Date.now()))
    return next
  }
}

/** The SDK does not take HTTP 408 for something that may pass. */
function withTimeout(info: RetryErrorInfo): RetryErrorInfo {
  const { $metadata } = (info.error ?? {}) as { $metadata?: { httpStatusCode?: number } }
  return $metadata?.httpStatusCode === 408 ? { ...info, errorType: 'TRANSIENT' } : info
}
