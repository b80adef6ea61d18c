import { type ErrorStatus, errorTypes } from '../../contract/http-api.ts'
import { HelperError } from '../../runtime/failure.ts'
import { quoteName } from '../../runtime/text/quote.ts'
import { isPatternMatch } from '../../runtime/text/star-pattern.ts'

/** A fault on demand, and the requests to which it applies. */
export interface Fault {
  /** `*` for any method. */
  readonly method: string
  /** `*` matches any text. */
  readonly path: string
  readonly effect: FaultEffect
  /** The number of requests to which the fault applies. */
  readonly times: number
}

/**
 * Parses `METHOD PATH EFFECT [once|N times]`. The effect is a status of the API, optionally with `retry-after=N`, or `slow 2s`,
 * `reset` or `pings 5s`.
 * @throws {HelperError} `usage`
 */
export function parseFault(text: string): Fault {
  const pattern =
    /^(?<method>[A-Z]+|\*) (?<path>[/*]\S*) (?:(?<status>\d{3})(?: retry-after=(?<retryAfter>\d+))?|(?<word>slow|pings) (?<count>\d+(?:\.\d+)?)(?<unit>ms|s)|reset)(?: (?<once>once)| (?<times>[1-9]\d*) times)?$/
  const { method, path, once, times, ...effect } = pattern.exec(text)?.groups ?? {}
  const { status } = effect
  if (method === undefined || path === undefined || (status !== undefined && !isErrorStatus(status))) throw reject(text)
  const count = once ? 1 : times === undefined ? Number.POSITIVE_INFINITY : Number(times)
  return { method, path, effect: parseEffect(effect), times: count }
}

/** How a request fails on demand. */
type FaultEffect =
  | { readonly kind: 'status'; readonly status: ErrorStatus; readonly retryAfterSec: number | undefined }
  /** The normal answer, after a delay. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The connection ends without an answer. */
  | { readonly kind: 'reset' }
  /** A stream that holds only pings. */
  | { readonly kind: 'pings'; readonly ms: number }

/** Finds the fault for a request: the first that matches and was not yet used `times` times. */
export function createFaults(faults: readonly Fault[]): (method: string, path: string) => Fault | undefined {
  const waiting = faults.map((fault) => ({ fault, left: fault.times }))
  return (method, path) => {
    const hit = waiting.find(({ fault, left }) => left > 0 && isOfFault(fault, method, path))
    if (hit) hit.left -= 1
    return hit?.fault
  }
}

function isOfFault(fault: Fault, method: string, path: string): boolean {
  return (fault.method === '*' || fault.method === method) && isPatternMatch(fault.path, path)
}

function isErrorStatus(status: string): boolean {
  return Object.keys(errorTypes).includes(status)
}

function reject(text: string): HelperError {
  const statuses = Object.keys(errorTypes).join(', ')
  return new HelperError(
    'usage',
    `${quoteName(text)} is not a fault`,
    `write METHOD PATH, then a status (${statuses}), "429 retry-after=2", "slow 2s", "reset" or "pings 5s", then optionally "once" or "3 times"`,
  )
}

function parseEffect({
  status,
  retryAfter,
  word,
  count,
  unit,
}: Readonly<Record<string, string | undefined>>): FaultEffect {
  if (status !== undefined) {
    const retryAfterSec = retryAfter === undefined ? undefined : Number(retryAfter)
    return { kind: 'status', status: Number(status) as ErrorStatus, retryAfterSec } // isErrorStatus has checked it
  }
  const ms = Number(count) * (unit === 's' ? 1000 : 1)
  return word === 'slow' || word === 'pings' ? { kind: word, ms } : { kind: 'reset' }
}
