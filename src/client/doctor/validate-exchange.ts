import { exchangeLimits } from '../../contract/http-api.ts'
import { clockHint, describeClockDifference } from '../../runtime/failure.ts'
import type { Claims } from '../../runtime/tokens/jwt.ts'
import { renderDate, renderDuration } from '../../runtime/values/duration.ts'
import type { Part } from '../examination.ts'

/** Checks the conditions of a token exchange that this machine can check, likely causes first; pure. */
export function validateExchange(facts: ExchangeFacts): ExchangeCheck[] {
  const { jwt } = facts
  if (!jwt) return [{ what: 'form', status: 'unmet', message: 'it is not a JWT', hint: 'name the source of a JWT' }]
  const { claims } = jwt
  return [
    validateForm(jwt.header, facts.bytes),
    ...validateClocks(claims, facts),
    validateRepetition(claims, facts),
    validateAudience(claims, facts.settings),
    createUnknown('sub', `it is about ${renderClaim(claims.sub)}; the rule says which subjects it takes`),
    createUnknown('iss', `it is from ${renderClaim(claims.iss)}; the platform must know that issuer, letter by letter`),
    ...validateSettings(facts.settings),
    createUnknown(
      'signature',
      `only someone with the issuer's keys can verify it (key ${renderClaim(jwt.header.kid)})`,
    ),
  ]
}

/** The claims of an identity token, unverified, and the settings of its exchange. */
interface ExchangeFacts extends Clocks {
  readonly bytes: number
  /** `undefined` if the token is not a JWT. */
  readonly jwt: { readonly header: Claims; readonly claims: Claims } | undefined
  readonly settings: ExpectedExchange
  /** Whether the source creates a token for each run, or returns a stored one. */
  readonly supply: 'created' | 'stored'
  /** Whether a record shows that this user has exchanged the token on this machine. */
  readonly use: 'exchanged' | 'unknown'
}

interface ExpectedExchange {
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
  /** The helper's option `audience`. */
  readonly audience: string | undefined
}

function createUnknown(what: string, message: string): ExchangeCheck {
  return { what, status: 'unknown', message }
}

/** Signatures with a shared key are refused, because everybody who can verify them can also create them. */
function validateForm({ alg }: Claims, bytes: number): ExchangeCheck {
  const limit = exchangeLimits.assertionBytes
  const message = `a JWT of ${bytes} bytes, signed with ${renderClaim(alg)}`
  if (/^(none|HS\d+)$/i.test(String(alg ?? 'none')))
    return {
      what: 'form',
      status: 'unmet',
      message,
      hint: 'have the identity provider sign with a key pair, such as ES256',
    }
  if (bytes <= limit) return { what: 'form', status: 'met', message }
  return { what: 'form', status: 'unmet', message: `${message}; at most ${limit}`, hint: 'ask for fewer claims in it' }
}

/** The hint for an identity token that is good for one exchange. */
export const repetitionHint = 'have the identity token renewed, or use a source that creates a new one each time'

/** Compares the times in a token with both clocks, and the clocks with each other; pure. */
function validateClocks(claims: Readonly<Record<string, unknown>>, clocks: Clocks): ExchangeCheck[] {
  const wrong = describeDifference(clocks)
  const hint = (otherwise: string) => (wrong === undefined ? otherwise : clockHint)
  return [
    validateDifference(clocks, wrong),
    validateEnd(claims.exp, clocks, hint('have it renewed before it ends')),
    ...validateBegin('nbf', 'it begins', claims.nbf, clocks, hint('wait until then, or have its issuer set the clock')),
    ...validateBegin('iat', 'it was issued', claims.iat, clocks, hint('have its issuer set the clock')),
  ]
}

function validateRepetition({ jti }: Claims, { supply, use }: ExchangeFacts): ExchangeCheck {
  if (use === 'exchanged')
    return {
      what: 'jti',
      status: 'unmet',
      message: 'it was exchanged already from this machine, and may be good for one exchange only',
      hint: repetitionHint,
    }
  if (jti === undefined) return { what: 'jti', status: 'met', message: 'it has none, so it may be exchanged again' }
  if (supply === 'created')
    return {
      what: 'jti',
      status: 'met',
      message: 'it is good for one exchange, and the source creates a new one each time',
    }
  const message = 'it is good for one exchange, and the source returns a stored one, which may have been used'
  return createUnknown('jti', `${message}; have it renewed, then try again`)
}

function validateAudience({ aud }: Claims, { audience }: ExpectedExchange): ExchangeCheck {
  const message = `it is for ${renderClaim(aud)}`
  if (aud === undefined)
    return { what: 'aud', status: 'unmet', message, hint: 'have the identity provider name the audience of the rule' }
  if (audience === undefined || [aud].flat().includes(audience))
    return createUnknown('aud', `${message}; the rule says which audience it takes`)
  return {
    what: 'aud',
    status: 'unmet',
    message: `${message}, and the helper is told ${renderClaim(audience)}`,
    hint: `have the identity token made for ${renderClaim(audience)}, or correct the option audience`,
  }
}

function validateSettings(settings: ExpectedExchange): ExchangeCheck[] {
  const { organizationId, federationRuleId, serviceAccountId, workspaceId } = settings
  const named = "not named, so the rule's"
  return [
    createUnknown('organization', organizationId),
    createUnknown('federation rule', federationRuleId),
    createUnknown('service account', serviceAccountId ?? named),
    createUnknown('workspace', workspaceId ?? named),
  ]
}

/** Two clocks, in epoch milliseconds. */
interface Clocks {
  readonly here: number
  /** `undefined` if the platform's answer had no date. */
  readonly platform: number | undefined
  /** The clock difference that the platform tolerates. */
  readonly skewSec: number
  /** The helper does not send a token that expires sooner than this. */
  readonly shortestLeftSec: number
  /** The helper does not send a token that becomes valid later than this. */
  readonly longestAheadSec: number
}

function validateDifference({ platform }: Clocks, wrong: string | undefined): ExchangeCheck {
  if (platform === undefined) return { what: 'clock', status: 'unknown', message: "the platform's time is not known" }
  if (wrong === undefined) return { what: 'clock', status: 'met', message: "this machine's agrees with the platform's" }
  const hint = `${clockHint}; if it is right, tell the platform's operators that theirs is wrong`
  return { what: 'clock', status: 'unmet', message: wrong, hint }
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
  const isTooSoon = exp - shortestLeftSec < Math.max(here, platform) / 1000
  return toTimeCheck('exp', `it ends ${renderMoment(exp, clocks)}`, isTooSoon ? hint : undefined)
}

function validateBegin(what: 'nbf' | 'iat', verb: string, sec: unknown, clocks: Clocks, hint: string): ExchangeCheck[] {
  if (typeof sec !== 'number') return []
  const { here, platform = here, skewSec, longestAheadSec } = clocks
  const isAhead = sec - skewSec > platform / 1000 || (what === 'nbf' && sec - longestAheadSec > here / 1000)
  return [toTimeCheck(what, `${verb} ${renderMoment(sec, clocks)}`, isAhead ? hint : undefined)]
}

/**
 * Makes the check of a time.
 * @param hint The way out for a wrong time; `undefined` for a right one.
 */
function toTimeCheck(what: string, message: string, hint: string | undefined): ExchangeCheck {
  return hint === undefined ? { what, status: 'met', message } : { what, status: 'unmet', message, hint }
}

function describeDifference({ here, platform = here, skewSec }: Clocks): string | undefined {
  const aheadSec = Math.round((here - platform) / 1000)
  if (Math.abs(aheadSec) <= skewSec) return undefined
  return describeClockDifference(aheadSec * 1000, "the platform's")
}

/** Renders a time, such as `at 2026-01-15T12:00:00.000Z, in 4 min`; by both clocks if they differ. */
function renderMoment(sec: number, clocks: Clocks): string {
  const day = renderDate(sec * 1000)
  const { here, platform = here } = clocks
  if (describeDifference(clocks) === undefined) return `at ${day}, ${describeDistance(sec, platform)}`
  return `at ${day}: ${describeDistance(sec, here)} by this machine's clock, ${describeDistance(sec, platform)} by the platform's`
}

function describeDistance(sec: number, now: number): string {
  const leftSec = Math.round(sec - now / 1000)
  return leftSec >= 0 ? `in ${renderDuration(leftSec)}` : `${renderDuration(-leftSec)} ago`
}

/** Describes every condition of a token exchange as one part of an examination; pure. */
export function describeExchange(checks: readonly ExchangeCheck[]): Part {
  const ranked = order.flatMap((status) => checks.filter((check) => check.status === status))
  const lines = ranked.map(({ what, status, message }) => `${marks[status]} ${what}: ${message}`)
  const [first] = ranked
  if (first?.status === 'unmet')
    return {
      part: 'exchange',
      outcome: 'bad',
      lines,
      cause:
        first.what === 'clock' ? first.message : `the identity token is not exchanged: ${first.what}: ${first.message}`,
      ...(first.what === 'clock' && { isClock: true }),
      hint: first.hint,
    }
  const hint =
    first?.status === 'unknown'
      ? "ask the platform's operators to compare the lines with ? with the federation rule, and to look up the request; for a gateway of your own, add its state: --db FILE"
      : 'run it again: the identity token that it would send now meets every condition'
  return { part: 'exchange', outcome: 'note', lines, hint }
}

/** Unmet conditions first, then the conditions that only the platform can check. */
const order: readonly ExchangeCheckStatus[] = ['unmet', 'unknown', 'met']

const marks: Readonly<Record<ExchangeCheckStatus, string>> = { unmet: '✗', unknown: '?', met: '✓' }

/** Replaces the checks on this machine by the gateway's own; further checks by the gateway come last. */
export function mergeChecks(own: readonly ExchangeCheck[], known: readonly ExchangeCheck[]): ExchangeCheck[] {
  const better = own.map((check) =>
    check.status === 'unmet' ? check : (known.find(({ what }) => what === check.what) ?? check),
  )
  return [...better, ...known.filter(({ what }) => !own.some((check) => check.what === what))]
}

/** `unknown`: only the platform can check the condition. */
export type ExchangeCheckStatus = 'unmet' | 'unknown' | 'met'

/** One condition of a token exchange, and whether it is met. */
export interface ExchangeCheck {
  /** A claim, a setting, or the form of the token. */
  readonly what: string
  readonly status: ExchangeCheckStatus
  readonly message: string
  /** The way out if it is not met, in the imperative. */
  readonly hint?: string | undefined
}

/** Renders a claim in quotes, and cuts it because its issuer may write anything. */
export function renderClaim(claim: unknown): string {
  const names = [claim].flat().map((name) => (typeof name === 'object' ? 'no text' : JSON.stringify(name)))
  return names.length === 0 || claim === undefined ? 'none' : names.join(', ').slice(0, 200)
}
