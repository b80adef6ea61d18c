import * as z from 'zod'
import { renderCounted } from '../../runtime/text/counted.ts'
import { policyLimits } from './limits.ts'

/** How many requests pass: that many in so many seconds, evenly, and `burst` of them at once. */
export interface RequestRate {
  readonly requests: number
  readonly everySec: number
  /** How many pass at once after a pause. */
  readonly burst: number
}

/** The limits of a policy; absent ones do not hold. */
export interface RequestLimitSettings {
  /** For each caller, by issuer and subject. */
  readonly callers?: RequestRate
  /** For each client address, of requests without a good token. */
  readonly addresses?: RequestRate
}

const count = z.int().min(1).max(policyLimits.rateRequests)

/** The form of a rate. */
export const rateShape = z.strictObject({
  requests: count.describe('how many requests'),
  everySec: z.int().min(1).max(policyLimits.rateSec).describe('in how many seconds'),
  burst: count.describe('how many of them at once; as many as requests by default').optional(),
})

/** The form of the limits of a policy. */
export const limitsShape = z.strictObject({
  callers: rateShape.describe('of each caller, by issuer and subject').optional(),
  addresses: rateShape.describe('of each client address, for requests without a good token').optional(),
})

/** A rate as a policy uses it. */
export function toRate({ requests, everySec, burst = requests }: z.output<typeof rateShape>): RequestRate {
  return { requests, everySec, burst }
}

/** Limits as a policy uses them. */
export function toLimitSettings({ callers, addresses }: z.output<typeof limitsShape>): RequestLimitSettings {
  return { ...(callers && { callers: toRate(callers) }), ...(addresses && { addresses: toRate(addresses) }) }
}

/** A rate in words, such as `600 requests in 60 s, 100 of them at once`; pure. */
export function renderRate({ requests, everySec, burst }: RequestRate): string {
  const atOnce = burst === requests ? '' : `, ${burst} at once`
  return `${renderCounted(requests, 'request')} in ${everySec} s${atOnce}`
}
