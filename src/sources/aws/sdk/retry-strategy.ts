import { setTimeout as sleep } from 'node:timers/promises'
import { StandardRetryStrategy } from '@smithy/core/retry'
import type { RetryErrorInfo, StandardRetryToken } from '@smithy/types'
import type { Deadline } from '../../../runtime/deadline.ts'
import { maxAttempts } from '../../../runtime/network/fetch/retry.ts'
import type { NetworkHandler } from './network-handler.ts'

/**
 * The SDK's own retries, with jitter and for transient errors only, except that `Retry-After` (RFC 9110, section 10.2.3) is
 * obeyed whole: the SDK waits at most five seconds of it, and would retry while the service still refuses. A pause that ends
 * after the call's deadline is not begun, so that a cached token can be served at once.
 */
export class TransientRetryStrategy extends StandardRetryStrategy {
  readonly #deadline: Deadline
  readonly #handler: NetworkHandler

  constructor(deadline: Deadline, handler: NetworkHandler) {
    super(maxAttempts)
    this.#deadline = deadline
    this.#handler = handler
  }

  override async refreshRetryTokenForRetry(
    token: StandardRetryToken,
    info: RetryErrorInfo,
  ): Promise<StandardRetryToken> {
    this.#handler.stage = 'waiting to retry'
    const notBefore = info.retryAfterHint?.getTime() ?? 0
    if (notBefore - Date.now() >= this.#deadline.remainingMs()) throw new Error('asked to wait beyond the deadline')
    const next = await super.refreshRetryTokenForRetry(token, withTimeout(info))
    await sleep(Math.max(0, notBefore - Date.now()))
    return next
  }
}

/** The SDK does not count HTTP 408 as transient. */
function withTimeout(info: RetryErrorInfo): RetryErrorInfo {
  const { $metadata } = (info.error ?? {}) as { $metadata?: { httpStatusCode?: number } }
  return $metadata?.httpStatusCode === 408 ? { ...info, errorType: 'TRANSIENT' } : info
}
