import { describeTime } from './describe-value.ts'
import type { CheckResult, ExamineFacts } from './jwt-check.ts'
import { toTimeClaim } from './time-claims.ts'

const wrong = (name: string): CheckResult => ({
  outcome: 'fail',
  note: `its ${name} is no number of seconds since 1970 (RFC 7519, section 2)`,
  reason: 'malformed',
})

/** RFC 7519, section 4.1.4. A token without an end would be good for ever. */
export const examineExpiry: ExamineFacts = ({ jwt: { claims }, now, clockSkewSec }) => {
  const exp = toTimeClaim(claims, 'exp')
  if (exp === 'wrong') return wrong('exp')
  if (exp === 'absent') return { outcome: 'fail', note: 'it does not say when it expires (exp)', reason: 'malformed' }
  return now < exp + clockSkewSec * 1000
    ? { outcome: 'pass', note: `it expires at ${describeTime(exp)}` }
    : { outcome: 'fail', note: `it expired at ${describeTime(exp)}`, reason: 'expired' }
}

/** RFC 7519, section 4.1.5. */
export const examineNotBefore: ExamineFacts = ({ jwt: { claims }, now, clockSkewSec }) => {
  const nbf = toTimeClaim(claims, 'nbf')
  if (nbf === 'wrong') return wrong('nbf')
  if (nbf === 'absent') return { outcome: 'pass', note: 'it does not say from when on it is valid (nbf)' }
  return nbf <= now + clockSkewSec * 1000
    ? { outcome: 'pass', note: `it is valid since ${describeTime(nbf)}` }
    : { outcome: 'fail', note: `it is valid from ${describeTime(nbf)} on`, reason: 'not-yet-valid' }
}

/** RFC 7519, section 4.1.6. Nobody issues in the future; a clock is wrong then. */
export const examineIssuedAt: ExamineFacts = ({ jwt: { claims }, now, clockSkewSec }) => {
  const iat = toTimeClaim(claims, 'iat')
  if (iat === 'wrong') return wrong('iat')
  if (iat === 'absent') return { outcome: 'pass', note: 'it does not say when it was issued (iat)' }
  return iat <= now + clockSkewSec * 1000
    ? { outcome: 'pass', note: `it was issued at ${describeTime(iat)}` }
    : { outcome: 'fail', note: `it was issued in the future, at ${describeTime(iat)}`, reason: 'not-yet-valid' }
}

/** How long it lives, from `iat` to `exp`. */
export const examineLife: ExamineFacts = ({ jwt: { claims }, trust }) => {
  const [iat, exp] = [toTimeClaim(claims, 'iat'), toTimeClaim(claims, 'exp')]
  if (typeof iat !== 'number' || typeof exp !== 'number') return toUnsaid(trust?.longestLifeSec)
  const lifeSec = (exp - iat) / 1000
  const note = `it lives ${Math.ceil(lifeSec)} s`
  return lifeSec <= (trust?.longestLifeSec ?? Infinity)
    ? { outcome: 'pass', note }
    : toTooOld(note, trust?.longestLifeSec)
}

/** How old it is, since `iat`. */
export const examineAge: ExamineFacts = ({ jwt: { claims }, trust, now, clockSkewSec }) => {
  const iat = toTimeClaim(claims, 'iat')
  if (typeof iat !== 'number') return toUnsaid(trust?.longestAgeSec)
  const ageSec = (now - iat) / 1000
  const note = `it is ${Math.max(0, Math.floor(ageSec))} s old`
  const isAccepted = ageSec < (trust?.longestAgeSec ?? Infinity) + clockSkewSec
  return isAccepted ? { outcome: 'pass', note } : toTooOld(note, trust?.longestAgeSec)
}

function toUnsaid(boundSec: number | undefined): CheckResult {
  const note = 'it does not say when it was issued (iat)'
  return boundSec === undefined ? { outcome: 'pass', note } : toTooOld(note, boundSec)
}

function toTooOld(note: string, boundSec: number | undefined): CheckResult {
  return { outcome: 'fail', note: `${note}, and at most ${boundSec} s are accepted`, reason: 'too-old' }
}
