import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../../../runtime/failure.ts'
import { retry } from '../../../runtime/network/fetch/retry.ts'
import { isPauseInTime } from '../../../runtime/network/fetch/retry-pause.ts'
import { computePauseMs, fromOutcome } from '../../../runtime/network/fetch/retry-policy.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'
import { type Attempt, isBusy, isClockRefused } from './attempt.ts'
import { attemptOperation } from './attempt-operation.ts'
import { type AwsError, noErrorCode } from './aws-error.ts'
import { type AwsOperation, describeApi } from './aws-operation.ts'
import { addProfileAuthority, type RequestContext } from './request-context.ts'
import type { SigningKeys } from './signing-keys.ts'

/** An answer of AWS that is no error. */
export interface AwsAnswer {
  readonly text: string
  /** AWS's clock less this machine's, in milliseconds; 0 where they agree. */
  readonly clockOffsetMs: number
}

/**
 * Sends one operation to its service in the region of the plan. It is sent again while AWS is busy or cannot be reached, and
 * with AWS's date where AWS refused that of this machine's clock.
 * @param keys What it is signed with; `undefined` for an operation that proves by its input who asks.
 * @throws {AwsError} what AWS refused, or its being busy; `HelperError` where nothing of AWS answered.
 */
export async function sendOperation(
  operation: AwsOperation,
  keys: SigningKeys | undefined,
  given: RequestContext,
): Promise<AwsAnswer> {
  const context = addProfileAuthority(given)
  const { deadline } = context.call
  const stage = `${describeApi(operation.api, context.plan)} (waiting to retry)`
  let aheadMs = keys?.clockOffsetMs ?? 0
  const { outcome, text, refusal, clockOffsetMs } = await retry(
    () => attemptOperation(operation, keys && { keys, aheadMs }, context),
    {
      findPauseMs: (last, attempt) => {
        const pauseMs = findPauseMs(last, attempt)
        return pauseMs !== undefined && isPauseInTime(pauseMs, deadline.longestPauseMs()) ? pauseMs : undefined
      },
      prepare: async (last, pauseMs) => {
        if (isClockRefused(last)) aheadMs = last.clockOffsetMs
        await deadline.during('network', stage, ({ signal }) => sleep(pauseMs, undefined, { signal }))
        return 'ready'
      },
    },
  )
  if (refusal) throw toForeignAnswer(refusal, describeApi(operation.api, context.plan)) ?? refusal
  fromOutcome(outcome)
  return { text, clockOffsetMs }
}

function findPauseMs(last: Attempt, attempt: number): number | undefined {
  if (isClockRefused(last)) return 0
  return isBusy(last) ? computePauseMs(last.outcome, attempt) : undefined
}

/** AWS gives a code with each refusal; what has none comes from something in between, and says nothing about permissions. */
function toForeignAnswer({ name, $metadata: { httpStatusCode: status } }: AwsError, service: string) {
  if (name !== noErrorCode || status >= 500 || status === 429) return undefined
  const message = `HTTP ${status} came instead of an answer of ${service}`
  return new HelperError('unavailable', message, interceptionHint)
}
