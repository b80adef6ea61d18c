import { describeValue } from './describe-value.ts'
import type { CheckResult, ExamineFacts } from './jwt-check.ts'

/** Whom it is about has to be said: rules and headers name it. */
export const examineSubject: ExamineFacts = ({ jwt: { claims } }) =>
  typeof claims.sub === 'string' && claims.sub !== ''
    ? { outcome: 'pass', note: `it is about ${describeValue(claims.sub)}` }
    : { outcome: 'fail', note: 'it does not say whom it is about (sub)', reason: 'malformed' }

/** RFC 7519, section 4.1.3: a text or a list of texts. */
export const examineAudience: ExamineFacts = ({ jwt: { claims }, trust }) => {
  const named = Array.isArray(claims.aud) ? claims.aud : claims.aud === undefined ? [] : [claims.aud]
  const fail = (note: string): CheckResult => ({ outcome: 'fail', note, reason: 'audience' })
  if (!named.every((item) => typeof item === 'string'))
    return { outcome: 'fail', note: 'its audience (aud) is neither a text nor a list of texts', reason: 'malformed' }
  if (named.length === 0) return fail('it names no audience (aud)')
  if (!trust || trust.audiences.length === 0)
    return { outcome: 'skipped', note: `it is for ${describeList(named)}, and nothing says whether that is right` }
  const own = named.find((item) => trust.audiences.includes(item))
  if (own !== undefined) return { outcome: 'pass', note: `it is for ${describeValue(own)}` }
  return fail(`it is for ${describeList(named)}, not for ${describeList(trust.audiences)}`)
}

function describeList(names: readonly unknown[]): string {
  const shown = names.slice(0, 3).map(describeValue).join(', ')
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown
}

/** A token that is bound to a key is worth nothing without the proof (RFC 7800, RFC 9449, RFC 8705), which nobody sees here. */
export const examineConfirmation: ExamineFacts = ({ jwt: { claims } }) =>
  'cnf' in claims
    ? {
        outcome: 'fail',
        note: 'it is bound to a key (cnf), of which a bearer token has no proof',
        reason: 'unknown-kind',
      }
    : { outcome: 'pass', note: 'it is a bearer token' }
