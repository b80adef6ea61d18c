import { checkSignature } from './check-signature.ts'
import type { ExamineFacts, JwtFacts } from './checks/jwt-check.ts'
import { claimChecks, headerChecks, type JwtCheck, type JwtCheckName, jwtCheckNames } from './checks/jwt-checks.ts'
import type { JwtContext } from './jwt-context.ts'
import { parseSignedJwt } from './signed-jwt/parse-signed-jwt.ts'
import type { SignedJwt } from './signed-jwt/signed-jwt.ts'

/** What a JWT is, and whether it is good. */
export interface JwtExamination {
  /** Every check, in the order of `jwtCheckNames`; the token is good if all of them pass. */
  readonly checks: readonly JwtCheck[]
  /** What it says, unless its form is wrong. */
  readonly jwt: SignedJwt | undefined
}

/**
 * Makes every check of a JWT, also where another one fails: for a person who looks at a token. An audience that nothing is compared
 * with (`audiences` of its trust is empty) and a key of an issuer that is not trusted are skipped.
 */
export async function examineJwt(token: string, context: JwtContext): Promise<JwtExamination> {
  const jwt = parseSignedJwt(token)
  if ('problem' in jwt) return { checks: toMalformed(jwt.problem), jwt: undefined }
  const facts = toFacts(jwt, context)
  const signature = await checkSignature(jwt, { trust: facts.trust, keys: context.keys })
  const checks: readonly JwtCheck[] = [
    { name: 'form', outcome: 'pass', note: 'it is a signed JWT' },
    ...runChecks(headerChecks, facts),
    ...signature,
    ...runChecks(claimChecks, facts),
  ]
  return { checks, jwt }
}

/** What checks are made of. */
export function toFacts(jwt: SignedJwt, { trusts, now, clockSkewSec }: JwtContext): JwtFacts {
  return { jwt, trust: trusts.find(({ issuer }) => issuer === jwt.claims.iss), now, clockSkewSec }
}

/** Makes the checks of a table, in its order. */
export function runChecks(table: Readonly<Partial<Record<JwtCheckName, ExamineFacts>>>, facts: JwtFacts): JwtCheck[] {
  return Object.entries(table).map(([name, examine]) => ({ name: name as JwtCheckName, ...examine(facts) }))
}

function toMalformed(problem: string): JwtCheck[] {
  const [form = 'form', ...others] = jwtCheckNames
  return [
    { name: form, outcome: 'fail', note: problem, reason: 'malformed' },
    ...others.map((name): JwtCheck => ({ name, outcome: 'skipped', note: 'the token cannot be read' })),
  ]
}
