// Folder: verifying a JWT: its form, its claims, the keys of its issuer and its signature.

import { type Identity, TokenRefusal } from '../verdict.ts'
import { checkSignature } from './check-signature.ts'
import { parseConfirmation } from './confirmation.ts'
import { findFailedCheck, type JwtContext, toFacts } from './examine-jwt.ts'
import { claimChecks, headerChecks, type JwtCheck, type JwtFacts, toTimeClaim } from './jwt-checks.ts'
import { parseSignedJwt } from './parse-signed-jwt.ts'

/**
 * Verifies a JWT, and gives its owner if every check passes: without a promise, which takes a good part of the time beside an ES256
 * signature, unless the key has to be fetched or the signature is verified on another thread.
 * @throws {TokenRefusal} for the first check that fails; a promise is rejected with it. The caller is told about wrong claims (`detail`),
 * because the signature holds then; anything else is for the operator (`note`).
 */
export function verifyJwt(token: string, context: JwtContext): Identity | Promise<Identity> {
  const jwt = parseSignedJwt(token)
  if ('problem' in jwt) throw new TokenRefusal('malformed', { note: jwt.problem })
  const facts = toFacts(jwt, context)
  refuseFailed(findFailedCheck(headerChecks, facts), 'operator')
  const finish = (signature: readonly JwtCheck[]) => {
    refuseFailed(
      signature.find(({ outcome }) => outcome !== 'pass'),
      'operator',
    )
    refuseFailed(findFailedCheck(claimChecks, facts), 'caller')
    return toIdentity(facts)
  }
  const signature = checkSignature(jwt, { trust: facts.trust, keys: context.keys })
  return signature instanceof Promise ? signature.then(finish) : finish(signature)
}

function refuseFailed(failed: JwtCheck | undefined, reader: 'operator' | 'caller'): void {
  if (!failed) return
  const { note } = failed
  // Once the issuer is trusted, only the audience can be skipped, if the policy names none.
  const reason = failed.outcome === 'fail' ? failed.reason : 'audience'
  throw new TokenRefusal(reason, reader === 'caller' ? { detail: note, note } : { note })
}

/** The owner of a token that has passed every check. */
export function toIdentity({ jwt: { claims, signingInput }, trust, clockSkewSec }: JwtFacts): Identity {
  const issuedAt = toTimeClaim(claims, 'iat')
  const oldAt = typeof issuedAt === 'number' ? issuedAt + (trust?.longestAgeSec ?? Infinity) * 1000 : Infinity
  const binding = parseConfirmation(claims)
  return {
    kind: 'jwt',
    issuer: claims.iss as string, // checked
    subject: claims.sub as string, // checked
    claims,
    ...(binding && binding !== 'unknown' && { binding }), // an unknown one was refused
    issuedAt: typeof issuedAt === 'number' ? issuedAt : undefined,
    expiresAt: Math.min(Number(toTimeClaim(claims, 'exp')), oldAt) + clockSkewSec * 1000,
    useKey: signingInput,
  }
}
