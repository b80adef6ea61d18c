// Decides by the outcome of a request whether it may be sent again, and after which pause; `retry.ts` repeats it.

import type { Deadline } from '../deadline.ts'
import { findErrorCode, HelperError } from '../failure.ts'
import { isBusyStatus } from './network-failure.ts'
import { computeRetryPauseMs, isPauseInTime } from './retry.ts'

/** The outcome of a request: a response, or an error. */
export type AttemptOutcome = { readonly response: Response } | { readonly error: HelperError }

/** Waits for the outcome of a request. An error of the network is an outcome too; a defect is thrown. */
export async function waitForOutcome(request: Promise<Response>): Promise<AttemptOutcome> {
  try {
    return { response: await request }
  } catch (error) {
    if (error instanceof HelperError) return { error }
    throw error
  }
}

/** Returns the response of an outcome. @throws {HelperError} the error of a request without a response. */
export function fromOutcome(outcome: AttemptOutcome): Response {
  if ('error' in outcome) throw outcome.error
  return outcome.response
}

/** Methods whose requests may be repeated whatever happened to the first one (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

/**
 * Returns whether a request can be sent again without anything happening twice. A request that is not idempotent, such as a message or an
 * event, is repeated only if the other side cannot have acted on it.
 */
export function isRepeatable(method: string, outcome: AttemptOutcome): boolean {
  if (idempotent.has(method.toUpperCase())) return isTransient(outcome)
  if ('error' in outcome) return isUnsent(outcome.error)
  const { status, headers } = outcome.response
  // Our decision: a server that limits requests, or is overloaded and names a pause, has not acted on this request.
  return status === 429 || ((status === 503 || status === 529) && headers.has('retry-after'))
}

/** Returns whether another attempt may succeed: after a busy status, or a connection that failed or broke. */
export function isTransient(outcome: AttemptOutcome): boolean {
  if ('error' in outcome) return isUnsent(outcome.error) || brokenCodes.has(findCode(outcome.error) ?? '')
  return isBusyStatus(outcome.response.status)
}

/**
 * Finds the pause before the next attempt, in milliseconds, according to `Retry-After`; `undefined` if that is too long, which the deadline
 * records.
 * @param attempts The number of attempts so far.
 */
export function findPauseMs(
  outcome: AttemptOutcome,
  attempts: number,
  deadline: Pick<Deadline, 'longestPauseMs' | 'noteAskedPause'>,
): number | undefined {
  const said =
    'response' in outcome ? parseRetryAfter(outcome.response.headers.get('retry-after'), Date.now()) : undefined
  const longestMs = deadline.longestPauseMs()
  const pauseMs = computeRetryPauseMs(said, { attempts, random: Math.random(), longestMs })
  if (isPauseInTime(pauseMs, longestMs)) return pauseMs
  if (said !== undefined) deadline.noteAskedPause(said)
  return undefined
}

/**
 * Parses `Retry-After`, seconds or a date (RFC 9110, section 10.2.3), to milliseconds from now.
 * @param now In milliseconds since the epoch.
 */
export function parseRetryAfter(text: string | null, now: number): number | undefined {
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Codes of failures before anything is sent. */
const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** Codes of failures of a connection that may have carried the request. */
const brokenCodes = new Set(['ECONNRESET', 'ETIMEDOUT', 'EPIPE'])

/** Returns whether the other side cannot have received anything of a request that failed. */
export function isUnsent(error: HelperError): boolean {
  return unsentCodes.has(findCode(error) ?? '')
}

function findCode({ cause }: HelperError): string | undefined {
  return findErrorCode(cause)
}
