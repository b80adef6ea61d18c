// Folder: verification of a JWT: its form, its claims, its issuer's keys and its signature.

import { type Identity, TokenRefusal } from '../verdict.ts'
import { checkSignature } from './check-signature.ts'
import { parseConfirmation } from './confirmation.ts'
import { findFailedCheck, type JwtContext, toFacts } from './examine-jwt.ts'
import { claimChecks, headerChecks, type JwtCheck, type JwtFacts, toTimeClaim } from './jwt-checks.ts'
import { parseSignedJwt } from './parse-signed-jwt.ts'

/**
 * Verifies a JWT, and returns its owner if every check passes. The result is a promise only if the key must be fetched or the signature is
 * verified on another thread, because a promise takes much of the time of an ES256 signature.
 * @throws {TokenRefusal} for the first check that fails; a promise is rejected with it. The caller learns which claims are wrong
 * (`detail`), because the signature is valid then; other problems are for the operator (`note`).
 */
export function verifyJwt(token: string, context: JwtContext): Identity | Promise<Identity> {
  const jwt = parseSignedJwt(token)
  if ('problem' in jwt) throw new TokenRefusal('malformed', { note: jwt.problem })
  const facts = toFacts(jwt, context)
  refuseFailed(findFailedCheck(headerChecks, facts), 'operator')
  const finish = (signature: readonly JwtCheck[]) => {
    refuseFailed(findFailed(signature), 'operator')
    refuseFailed(findFailedCheck(claimChecks, facts), 'caller')
    return toIdentity(facts)
  }
  const signature = checkSignature(jwt, { trust: facts.trust, keys: context.keys })
  return signature instanceof Promise ? signature.then(finish) : finish(signature)
}

/** Finds the first check that does not pass, of those that were made. */
export function findFailed(checks: readonly JwtCheck[]): JwtCheck | undefined {
  return checks.find(({ outcome }) => outcome !== 'pass')
}

/** @throws {TokenRefusal} for a check that failed. @param reader Who may learn which claims are wrong. */
export function refuseFailed(failed: JwtCheck | undefined, reader: 'operator' | 'caller'): void {
  if (!failed) return
  const { note } = failed
  // Once the issuer is trusted, only the audience can be skipped, if the policy lists none.
  const reason = failed.outcome === 'fail' ? failed.reason : 'audience'
  throw new TokenRefusal(reason, reader === 'caller' ? { detail: note, note } : { note })
}

/** Returns the owner of a token that has passed every check. */
export function toIdentity({ jwt: { claims, signingInput }, trust, clockSkewSec }: JwtFacts): Identity {
  const issuedAt = toTimeClaim(claims, 'iat')
  const oldAt = typeof issuedAt === 'number' ? issuedAt + (trust?.longestAgeSec ?? Infinity) * 1000 : Infinity
  const binding = parseConfirmation(claims)
  return {
    kind: 'jwt',
    issuer: claims.iss as string, // examineIssuer has checked the type
    subject: claims.sub as string, // examineSubject has checked the type
    claims,
    ...(binding && binding !== 'unknown' && { binding }), // an unknown binding was refused
    issuedAt: typeof issuedAt === 'number' ? issuedAt : undefined,
    expiresAt: Math.min(Number(toTimeClaim(claims, 'exp')), oldAt) + clockSkewSec * 1000,
    useKey: signingInput,
  }
}
