import { hasAttemptLeft } from './retry-pause.ts'

/** How one kind of request is retried. */
export interface RetryRules<T> {
  /**
   * How long to wait before the next attempt, in milliseconds; `undefined` for an outcome that is final.
   * @param attempt Counted from 1.
   */
  findPauseMs(outcome: T, attempt: number): number | undefined
  /** Waits, and prepares what is sent next. `nothing to send` makes the outcome final. */
  prepare(outcome: T, pauseMs: number): Promise<'ready' | 'nothing to send'>
}

/** Sends a request until its outcome is final, as often as {@link hasAttemptLeft} allows, and gives the last outcome. */
export async function retry<T>(send: () => Promise<T>, { findPauseMs, prepare }: RetryRules<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await send()
    const pauseMs = hasAttemptLeft(attempt) ? findPauseMs(outcome, attempt) : undefined
    if (pauseMs === undefined || (await prepare(outcome, pauseMs)) === 'nothing to send') return outcome
  }
}
