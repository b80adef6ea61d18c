import type { Part } from '../examination.ts'

/** Describes every condition of a token exchange as one part of an examination; pure. */
export function describeExchange(checks: readonly ExchangeCheck[]): Part {
  const ranked = order.flatMap((status) => checks.filter((check) => check.status === status))
  const lines = ranked.map(({ what, status, message }) => `${marks[status]} ${what}: ${message}`)
  const [first] = ranked
  if (first?.status === 'unmet')
    return {
      ...{ part: 'exchange', outcome: 'bad', lines },
      cause:
        first.what === 'clock' ? first.message : `the identity token is not exchanged: ${first.what}: ${first.message}`,
      ...(first.what === 'clock' && { isClock: true }),
      ...(first.hint !== undefined && { hint: first.hint }),
    }
  const hint =
    first?.status === 'unknown'
      ? "ask the platform's operators to compare the lines with ? with the federation rule, and to look up the request; for a gateway of your own, add its state: --db FILE"
      : 'run it again: the identity token that it would send now meets every condition'
  return { part: 'exchange', outcome: 'note', lines, hint }
}

/** Unmet conditions first, then those that only the platform knows. */
const order: readonly ExchangeCheckStatus[] = ['unmet', 'unknown', 'met']

const marks: Readonly<Record<ExchangeCheckStatus, string>> = { unmet: '✗', unknown: '?', met: '✓' }

/** Replaces the checks made on this machine by those that the gateway's state answers; further checks of the state come last. */
export function mergeChecks(own: readonly ExchangeCheck[], known: readonly ExchangeCheck[]): ExchangeCheck[] {
  const better = own.map((check) =>
    check.status === 'unmet' ? check : (known.find(({ what }) => what === check.what) ?? check),
  )
  return [...better, ...known.filter(({ what }) => !own.some((check) => check.what === what))]
}

/** `unknown`: only the platform knows. */
export type ExchangeCheckStatus = 'unmet' | 'unknown' | 'met'

/** One condition of a token exchange, and whether it is met. */
export interface ExchangeCheck {
  /** A claim, a setting, or the form of the token. */
  readonly what: string
  readonly status: ExchangeCheckStatus
  readonly message: string
  /** The way out if it is not met, in the imperative. */
  readonly hint?: string
}

/** A claim in quotes; shortened, because its issuer may write anything. */
export function renderClaim(claim: unknown): string {
  const names = [claim].flat().map((name) => (typeof name === 'object' ? 'no text' : JSON.stringify(name)))
  return names.length === 0 || claim === undefined ? 'none' : names.join(', ').slice(0, 200)
}
