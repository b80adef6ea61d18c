import { renderCounted } from '../../runtime/text/counted.ts'

/** How many requests pass: that many in so many seconds, evenly, and `burst` of them at once. */
export interface RequestRate {
  readonly requests: number
  readonly everySec: number
  /** How many pass at once after a pause. */
  readonly burst: number
}

/** The limits of a policy; absent ones do not hold. */
export interface RequestLimitSettings {
  /** How often each caller, by issuer and subject, may pass. */
  readonly callers?: RequestRate
  /** How often each client address may send a request without a good token. */
  readonly addresses?: RequestRate
}

/** Fills in the burst of a rate: without one, all requests of a period may come at once. */
export function toRate({ requests, everySec, burst = requests }: WrittenRate): RequestRate {
  return { requests, everySec, burst }
}

/** Fills in the rates of the limits that a policy sets; the others stay absent. */
export function toLimitSettings({ callers, addresses }: WrittenLimits): RequestLimitSettings {
  return { ...(callers && { callers: toRate(callers) }), ...(addresses && { addresses: toRate(addresses) }) }
}

/** A rate in words, such as `600 requests in 60 s, 100 of them at once`; pure. */
export function renderRate({ requests, everySec, burst }: RequestRate): string {
  const atOnce = burst === requests ? '' : `, ${burst} at once`
  return `${renderCounted(requests, 'request')} in ${everySec} s${atOnce}`
}

/** A rate in a policy file. */
interface WrittenRate extends Omit<RequestRate, 'burst'> {
  readonly burst?: number | undefined
}

/** Limits in a policy file. */
interface WrittenLimits {
  readonly callers?: WrittenRate | undefined
  readonly addresses?: WrittenRate | undefined
}
