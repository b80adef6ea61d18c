import { listWarnings } from '../../../contract/api-keys/expiry-warnings.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { describeMoment } from '../../describe-moment.ts'
import type { KeyLife } from './stored-key.ts'

/** That a key expires soon, from when on the platform says so; `undefined` where that is not due, or nothing is known. */
export function describeExpiryNotice({ createdAt, expiresAt }: KeyLife, now: number): string | undefined {
  if (!expiresAt) return undefined
  const since = createdAt?.getTime() ?? Number.NEGATIVE_INFINITY
  if (!listWarnings(since, expiresAt.getTime()).some((at) => at <= now)) return undefined
  return `the key expires at ${describeMoment(expiresAt.getTime(), now)}; its life cannot be extended`
}

/** @throws {HelperError} `refused` for a key whose end has passed. */
export function refuseExpired({ expiresAt }: KeyLife, now: number, hint: string): void {
  if (!expiresAt || expiresAt.getTime() > now) return
  const when = describeMoment(expiresAt.getTime(), now)
  throw new HelperError('refused', `the key expired at ${when}, and cannot be made valid again`, hint)
}
