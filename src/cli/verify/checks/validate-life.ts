import { describeMoment } from '../../../sources/describe-moment.ts'
import type { TokenLife } from '../describe/description.ts'
import type { TokenCheck } from './token-check.ts'

/** By how much clocks may differ, in seconds, where no policy says it. */
export const clockSkewSec = 60

/** Compares what a token states of its life with the clock of this machine; nothing for what it does not state. */
export function validateLife({ issuedAt, notBefore, expiresAt }: TokenLife, now: number): TokenCheck[] {
  const skewMs = clockSkewSec * 1000
  return [
    ...(expiresAt === undefined ? [] : [validateEnd(expiresAt, now - skewMs, now)]),
    ...(notBefore === undefined ? [] : [validateBegin('not before', 'it is valid from', notBefore, now + skewMs, now)]),
    ...(issuedAt === undefined ? [] : [validateBegin('issued at', 'it was issued', issuedAt, now + skewMs, now)]),
  ]
}

function validateEnd(at: number, earliest: number, now: number): TokenCheck {
  if (at > earliest) return { name: 'expiry', status: 'met', message: `it ends ${describeMoment(at, now)}` }
  const hint = 'get a new one; if this one is new, check the clock of this machine, and of whoever issued it'
  return { name: 'expiry', status: 'unmet', message: `it ended ${describeMoment(at, now)}`, reason: 'expired', hint }
}

function validateBegin(name: string, verb: string, at: number, latest: number, now: number): TokenCheck {
  const message = `${verb} ${describeMoment(at, now)}`
  if (at <= latest) return { name, status: 'met', message }
  const hint = 'check the clock of this machine, and of whoever issued it; otherwise wait until then'
  return { name, status: 'unmet', message, reason: 'not-yet-valid', hint }
}
