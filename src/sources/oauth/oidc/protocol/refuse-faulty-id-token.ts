import { createHash } from 'node:crypto'
import { HelperError } from '../../../../runtime/failure.ts'
import { parseJwt } from '../../../../runtime/tokens/jwt.ts'

/** What came with an ID token, to which it may be bound. */
export interface TokenCompany {
  readonly accessToken: string
  /** Where it was redeemed. */
  readonly code?: string | undefined
}

/**
 * Refuses what openid-client leaves to its caller: a person without a name, and an ID token that was issued with another access token
 * or code (`at_hash`, `c_hash`; OpenID Connect Core 1.0, sections 3.1.3.6 and 3.3.2.11, where they are optional in this flow).
 * @throws {HelperError} `refused`
 */
export function refuseFaultyIdToken(idToken: string, { accessToken, code }: TokenCompany, name: string): void {
  const jwt = parseJwt(idToken)
  if (!jwt) throw toFailure(name, 'is no JWT')
  const { header, claims } = jwt
  if (claims.sub === '') throw toFailure(name, 'names nobody (sub)')
  if (!isHashOf(claims.at_hash, accessToken, header.alg))
    throw toFailure(name, 'was issued with another access token (at_hash)')
  if (code !== undefined && !isHashOf(claims.c_hash, code, header.alg))
    throw toFailure(name, 'was issued for another code (c_hash)')
}

/** The left half of the digest that the algorithm of the token is over. Absent is right, and so is what cannot be computed. */
function isHashOf(stated: unknown, text: string, algorithm: unknown): boolean {
  const bits = /^(?:RS|PS|ES)(256|384|512)$/.exec(String(algorithm))?.[1]
  if (stated === undefined || bits === undefined) return true
  const digest = createHash(`sha${bits}`).update(text).digest()
  return stated === digest.subarray(0, digest.length / 2).toString('base64url')
}

function toFailure(name: string, problem: string): HelperError {
  return new HelperError(
    'refused',
    `the ID token of ${name} ${problem}`,
    'start again; if that happens once more, ask who runs the provider',
  )
}
