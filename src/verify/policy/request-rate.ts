import { renderCounted } from '../../runtime/text/counted.ts'

/** A rate: `requests` in each period of `everySec` seconds, evenly spread, and up to `burst` at once. */
export interface RequestRate {
  readonly requests: number
  readonly everySec: number
  /** How many requests pass at once after a pause. */
  readonly burst: number
}

/** The limits of a policy; an absent limit does not apply. */
export interface RequestLimitSettings {
  /** The rate of each caller, by issuer and subject. */
  readonly callers?: RequestRate
  /** The rate of requests without a good token, for each client address. */
  readonly addresses?: RequestRate
}

/** Adds the burst of a rate: by default, all requests of a period may come at once. */
export function toRate({ requests, everySec, burst = requests }: WrittenRate): RequestRate {
  return { requests, everySec, burst }
}

/** Adds the bursts of the limits that a policy sets. */
export function toLimitSettings({ callers, addresses }: WrittenLimits): RequestLimitSettings {
  return { ...(callers && { callers: toRate(callers) }), ...(addresses && { addresses: toRate(addresses) }) }
}

/** Renders a rate in words, such as `600 requests in 60 s, 100 of them at once`; pure. */
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
