// The checks of a token that need no key.

import type { TokenKind } from '../../runtime/tokens/token-kind.ts'
import { describeMoment } from '../../runtime/values/duration.ts'
import { policyDefaults } from '../../verify/policy/policy-limits.ts'
import type { TokenLife } from './shown-claims.ts'
import { reasonHints, type TokenCheck } from './token-check.ts'

/** The permitted difference of clocks, in seconds, unless a policy sets it. */
export const { clockSkewSec } = policyDefaults

/** Compares the times in a token with this machine's clock. */
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
  const message = `it ended ${describeMoment(at, now)}`
  return { name: 'expiry', status: 'unmet', message, reason: 'expired', hint: reasonHints.expired }
}

function validateBegin(name: string, verb: string, at: number, latest: number, now: number): TokenCheck {
  const message = `${verb} ${describeMoment(at, now)}`
  if (at <= latest) return { name, status: 'met', message }
  return { name, status: 'unmet', message, reason: 'not-yet-valid', hint: reasonHints['not-yet-valid'] }
}

/** Validates that a token can be parsed, and describes who could verify its origin. */
export function validateForm(kind: TokenKind): TokenCheck[] {
  const check = origins[kind]
  return [typeof check === 'string' ? { name: 'signature', status: 'not asked', message: check } : check]
}

/** The message about a signature without given keys. */
export const unverified = 'not verified: name the issuer or its keys with --issuer, --keys or --policy'

const byAwsAlone = 'not verified: only AWS can verify it, when a request comes with it'

/** The check of the origin of each kind of token. */
const origins: Readonly<Record<TokenKind, string | TokenCheck>> = {
  jwt: unverified,
  'damaged-jwt': {
    name: 'form',
    status: 'unmet',
    message: 'it begins like a JWT, but does not have three parts between dots, two of them JSON in base64url',
    reason: 'malformed',
    hint: 'copy the whole token again, or get a new one',
  },
  'encrypted-jwt': 'not verified: only its recipient can decrypt it, and the signature is inside',
  'aws-identity': 'not verified: only AWS STS can say whose it is',
  'aws-short-term-key': byAwsAlone,
  'aws-long-term-key': byAwsAlone,
  'platform-secret': 'not verified: only the platform can verify it, when a request comes with it',
  opaque: 'not verified: only whoever issued it can',
}
