import type { JwtTrust, Policy } from '../policy/policy.ts'
import { checkSignature } from './check-signature.ts'
import {
  claimChecks,
  type ExamineFacts,
  headerChecks,
  type JwtCheck,
  type JwtCheckName,
  type JwtFacts,
  jwtCheckNames,
} from './jwt-checks.ts'
import type { KeyFinder } from './key-finder.ts'
import { parseSignedJwt, type SignedJwt } from './parse-signed-jwt.ts'

/**
 * Makes every check of a JWT even after one has failed, for a person who examines a token. The audience is skipped if `audiences` of its
 * trust is empty, and the key if the issuer is not trusted.
 */
export async function examineJwt(token: string, context: JwtContext): Promise<JwtExamination> {
  const jwt = parseSignedJwt(token)
  if ('problem' in jwt) return { checks: toMalformed(jwt.problem), jwt: undefined }
  const facts = toFacts(jwt, context)
  const signature = await checkSignature(jwt, { trust: facts.trust, keys: context.keys })
  const checks: readonly JwtCheck[] = [
    { name: 'form', outcome: 'pass', note: 'it is a signed JWT' },
    ...examineChecks(headerChecks, facts),
    ...signature,
    ...examineChecks(claimChecks, facts),
  ]
  return { checks, jwt }
}

/** A JWT, and the result of each check of it. */
interface JwtExamination {
  /** Every check, in the order of `jwtCheckNames`; the token is good if all of them pass. */
  readonly checks: readonly JwtCheck[]
  /** `undefined` if the token is not in the form of a JWT. */
  readonly jwt: SignedJwt | undefined
}

/** Collects the facts that the checks of a JWT need. */
export function toFacts(jwt: SignedJwt, { trusts, now, clockSkewSec }: JwtContext): JwtFacts {
  return { jwt, trust: trusts.find(({ issuer }) => issuer === jwt.claims.iss), now, clockSkewSec }
}

function toMalformed(problem: string): JwtCheck[] {
  const [form = 'form', ...others] = jwtCheckNames
  return [
    { name: form, outcome: 'fail', note: problem, reason: 'malformed' },
    ...others.map((name): JwtCheck => ({ name, outcome: 'skipped', note: 'the token cannot be read' })),
  ]
}

/** Makes the checks of a table, in its order. */
function examineChecks(table: CheckTable, facts: JwtFacts): JwtCheck[] {
  return toEntries(table).map(([name, examine]) => toJwtCheck(name, examine(facts)))
}

/** Finds the first check of a table that a token fails; later checks are not made. */
export function findFailedCheck(table: CheckTable, facts: JwtFacts): JwtCheck | undefined {
  for (const name in table) {
    const check = name as JwtCheckName // Object.entries widens the names
    const result = table[check]?.(facts)
    if (result && result.outcome !== 'pass') return toJwtCheck(check, result)
  }
  return undefined
}

type CheckTable = Readonly<Partial<Record<JwtCheckName, ExamineFacts>>>

function toEntries(table: CheckTable) {
  return Object.entries(table) as [JwtCheckName, ExamineFacts][] // Object.entries widens the names
}

function toJwtCheck(name: JwtCheckName, { note, ...result }: ReturnType<ExamineFacts>): JwtCheck {
  return { name, ...result, note: typeof note === 'string' ? note : note() }
}

/** The settings for verifying a JWT. */
export interface JwtContext extends Pick<Policy, 'clockSkewSec'> {
  /** One for each issuer. */
  readonly trusts: readonly JwtTrust[]
  readonly keys: KeyFinder
  /** Epoch milliseconds. */
  readonly now: number
}
