import { TokenRefusal } from '../token-refusal.ts'
import type { Identity } from '../verdict.ts'
import { checkSignature } from './check-signature.ts'
import type { JwtFacts } from './checks/jwt-check.ts'
import { claimChecks, headerChecks, type JwtCheck } from './checks/jwt-checks.ts'
import { toTimeClaim } from './checks/time-claims.ts'
import { runChecks, toFacts } from './examine-jwt.ts'
import type { JwtContext } from './jwt-context.ts'
import { parseSignedJwt } from './signed-jwt/parse-signed-jwt.ts'

/**
 * Verifies a JWT: whom it stands for, if every check is met.
 * @throws {TokenRefusal} for the first check that is not. What its claims lack is told to the caller (`detail`), because the signature
 * holds then; anything else is for the operator (`note`).
 */
export async function verifyJwt(token: string, context: JwtContext): Promise<Identity> {
  const jwt = parseSignedJwt(token)
  if ('problem' in jwt) throw new TokenRefusal('malformed', { note: jwt.problem })
  const facts = toFacts(jwt, context)
  refuseUnmet(runChecks(headerChecks, facts), 'for the operator')
  refuseUnmet(await checkSignature(jwt, { trust: facts.trust, keys: context.keys }), 'for the operator')
  refuseUnmet(runChecks(claimChecks, facts), 'for the caller')
  return toIdentity(facts)
}

function refuseUnmet(checks: readonly JwtCheck[], audience: 'for the operator' | 'for the caller'): void {
  const failed = checks.find(({ outcome }) => outcome !== 'met')
  if (!failed) return
  // A check that could not be made is none that is met.
  const reason = failed.outcome === 'unmet' ? failed.reason : failed.name === 'audience' ? 'audience' : 'malformed'
  const note = failed.says
  throw new TokenRefusal(reason, audience === 'for the caller' ? { detail: failed.says, note } : { note })
}

function toIdentity({ jwt: { claims }, trust, clockSkewSec }: JwtFacts): Identity {
  const issuedAt = toTimeClaim(claims, 'iat')
  const oldAt = typeof issuedAt === 'number' ? issuedAt + (trust?.longestAgeSec ?? Infinity) * 1000 : Infinity
  return {
    kind: 'jwt',
    issuer: claims.iss as string, // checked
    subject: claims.sub as string, // checked
    claims,
    issuedAt: typeof issuedAt === 'number' ? issuedAt : undefined,
    expiresAt: Math.min(Number(toTimeClaim(claims, 'exp')), oldAt) + clockSkewSec * 1000,
  }
}
