import { HelperError } from '../../runtime/failure.ts'
import type { CallRecord } from '../record/call-record.ts'

/** The second helper, as messages begin with it. */
export function describeSecond(name: string): string {
  return `the second helper, ${name}`
}

/** A failure of the second helper as the failure of the call. Its own settings say how people sign in to it. */
export function toSecondFailure(name: string, error: unknown, record: CallRecord): unknown {
  if (!(error instanceof HelperError)) return error
  record.failedWith = record.second?.record.resolved ?? new Map()
  return new HelperError(error.kind, `${describeSecond(name)}: ${error.message}`, error.hint, { cause: error })
}
