import { listWarnings } from '../../contract/api-keys.ts'
import { HelperError } from '../../runtime/failure.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import type { KeyStore } from './read-key.ts'
import type { KeyDates } from './stored-key.ts'

/** Describes a key that expires soon; `undefined` if it is too early for a notice, or if the expiry is not known. */
export function describeExpiryNotice({ createdAt, expiresAt }: KeyDates, now: number): string | undefined {
  if (!expiresAt) return undefined
  const since = createdAt?.getTime() ?? Number.NEGATIVE_INFINITY
  if (!listWarnings(since, expiresAt.getTime()).some((at) => at <= now)) return undefined
  return `the key expires at ${describeMoment(expiresAt.getTime(), now)}; its life cannot be extended`
}

/** Refuses an expired key. @throws {HelperError} `refused` */
export function refuseExpired({ expiresAt }: KeyDates, now: number, hint: string): void {
  if (!expiresAt || expiresAt.getTime() > now) return
  const when = describeMoment(expiresAt.getTime(), now)
  throw new HelperError('refused', `the key expired at ${when}, and cannot be made valid again`, hint)
}

/** Renders the hint for a key that has expired, or will soon. */
export function toReplaceHint({ hint }: Pick<KeyStore, 'hint'>): string {
  return `have another key created, and ${hint}`
}
