import { type CheckWorld, checkToken, type TokenTerms } from './checks/check-token.ts'
import { summarizeChecks } from './checks/token-check.ts'
import { describeHeaders } from './describe/describe-headers.ts'
import { describeToken } from './describe/describe-token.ts'
import type { FoundToken } from './input/found-token.ts'
import type { Verified } from './report/verified.ts'

/** How a token is looked at. */
export interface VerifySettings {
  /** Names of claims that are shown besides the usual ones. */
  readonly claims: readonly string[]
  readonly terms: TokenTerms
  readonly world: CheckWorld
}

/** Says what a token is, and makes every check of it. */
export async function verifyToken(found: FoundToken, { claims, terms, world }: VerifySettings): Promise<Verified> {
  const token = found.token.reveal()
  const description = describeToken(token, claims)
  const { checks, facts } = await checkToken(token, description, terms, world)
  return {
    ...description,
    facts: [...description.facts, ...facts],
    bytes: Buffer.byteLength(token),
    ...(found.shape !== undefined && { shape: found.shape }),
    notes: found.notes,
    headers: describeHeaders(found.headers),
    checks,
    verdict: summarizeChecks(checks),
    now: world.now,
  }
}
