import { renderDuration } from '../duration.ts'
import type { ExchangeCheck } from './exchange-check.ts'

/** Two clocks, in epoch milliseconds. */
export interface Clocks {
  readonly here: number
  /** `undefined` if the platform's answer had no date. */
  readonly platform: number | undefined
  /** The clock difference that the platform tolerates. */
  readonly skewSec: number
  /** The helper does not send a token that ends sooner than this. */
  readonly shortestLeftSec: number
  /** The helper does not send a token that begins later than this. */
  readonly longestAheadSec: number
}

/** Compares the times that a token states with both clocks, and the clocks with each other; pure. */
export function validateClocks(claims: Readonly<Record<string, unknown>>, clocks: Clocks): ExchangeCheck[] {
  const wrong = describeDifference(clocks)
  const hint = (otherwise: string) => (wrong === undefined ? otherwise : 'set the clock of this machine')
  return [
    validateDifference(clocks, wrong),
    validateEnd(claims.exp, clocks, hint('have it renewed before it ends')),
    ...validateBegin('nbf', 'it begins', claims.nbf, clocks, hint('wait until then, or have its issuer set the clock')),
    ...validateBegin('iat', 'it was issued', claims.iat, clocks, hint('have its issuer set the clock')),
  ]
}

function validateEnd(exp: unknown, clocks: Clocks, hint: string): ExchangeCheck {
  if (typeof exp !== 'number')
    return {
      what: 'exp',
      status: 'unmet',
      message: 'it does not say when it ends',
      hint: 'have the identity provider add it',
    }
  const { here, platform = here, shortestLeftSec } = clocks
  return validateTime(
    'exp',
    `it ends ${renderMoment(exp, clocks)}`,
    exp - shortestLeftSec < Math.max(here, platform) / 1000,
    hint,
  )
}

function validateBegin(what: 'nbf' | 'iat', verb: string, sec: unknown, clocks: Clocks, hint: string): ExchangeCheck[] {
  if (typeof sec !== 'number') return []
  const { here, platform = here, skewSec, longestAheadSec } = clocks
  const isAhead = sec - skewSec > platform / 1000 || (what === 'nbf' && sec - longestAheadSec > here / 1000)
  return [validateTime(what, `${verb} ${renderMoment(sec, clocks)}`, isAhead, hint)]
}

function validateTime(what: string, message: string, isWrong: boolean, hint: string): ExchangeCheck {
  return isWrong ? { what, status: 'unmet', message, hint } : { what, status: 'met', message }
}

function validateDifference({ platform }: Clocks, wrong: string | undefined): ExchangeCheck {
  if (platform === undefined) return { what: 'clock', status: 'unknown', message: "the platform's time is not known" }
  if (wrong === undefined) return { what: 'clock', status: 'met', message: "this machine's agrees with the platform's" }
  const hint = "set the clock of this machine; if it is right, tell the platform's operators of theirs"
  return { what: 'clock', status: 'unmet', message: wrong, hint }
}

function describeDifference({ here, platform = here, skewSec }: Clocks): string | undefined {
  const aheadSec = Math.round((here - platform) / 1000)
  if (Math.abs(aheadSec) <= skewSec) return undefined
  return `this machine's is ${renderDuration(Math.abs(aheadSec))} ${aheadSec > 0 ? 'ahead of' : 'behind'} the platform's`
}

/** Such as `at 2026-01-15T12:00:00.000Z, in 4 min`; by both clocks if they differ. */
function renderMoment(sec: number, clocks: Clocks): string {
  const date = new Date(sec * 1000)
  const day = Number.isNaN(date.getTime()) ? 'an unknown time' : date.toISOString()
  const { here, platform = here } = clocks
  if (describeDifference(clocks) === undefined) return `at ${day}, ${distance(sec, platform)}`
  return `at ${day}: ${distance(sec, here)} by this machine's clock, ${distance(sec, platform)} by the platform's`
}

function distance(sec: number, now: number): string {
  const leftSec = Math.round(sec - now / 1000)
  return leftSec >= 0 ? `in ${renderDuration(leftSec)}` : `${renderDuration(-leftSec)} ago`
}
