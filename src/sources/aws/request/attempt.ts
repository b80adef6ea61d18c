import { isTransient, type Outcome } from '../../../runtime/network/fetch/retry-policy.ts'
import { findNetworkCode } from '../../../runtime/network/network-code.ts'
import { toleratedSkewSec } from '../../clock-offset.ts'
import { isOutageCode } from '../sdk/failures.ts'
import type { AwsError } from './aws-error.ts'

/** One request to AWS, and how it ended. */
export interface Attempt {
  readonly outcome: Outcome
  /** The body of the answer; empty where there is none. */
  readonly text: string
  /** What the answer says, where it is an error. */
  readonly refusal?: AwsError | undefined
  /** By how much the date of the signature was ahead of this machine's clock, in milliseconds; `undefined` without a signature. */
  readonly signedAheadMs: number | undefined
  /** AWS's clock less this machine's, in milliseconds; 0 where they agree, or nothing answered. */
  readonly clockOffsetMs: number
}

/** Whether AWS refused a request whose date was far from its own. The same request with AWS's date may be accepted. */
export function isClockRefused({ outcome, refusal, signedAheadMs, clockOffsetMs }: Attempt): boolean {
  if (!refusal || signedAheadMs === undefined || !('response' in outcome)) return false
  const { status, headers } = outcome.response
  const isDated = !Number.isNaN(Date.parse(headers.get('date') ?? ''))
  return isDated && status < 500 && Math.abs(clockOffsetMs - signedAheadMs) > toleratedSkewSec * 1000
}

/** Whether the same request may succeed a moment later: AWS is busy, by its status or its code, or the connection failed. */
export function isBusy({ outcome, refusal }: Attempt): boolean {
  if (refusal && isOutageCode(refusal.name)) return true
  return isTransient(outcome) || ('error' in outcome && findNetworkCode(outcome.error) === 'ETIMEDOUT')
}
