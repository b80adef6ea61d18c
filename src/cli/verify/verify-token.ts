import { summarizeChecks } from './checks/token-check.ts'
import { validateForm } from './checks/validate-form.ts'
import { validateLife } from './checks/validate-life.ts'
import { describeHeaders } from './describe/describe-headers.ts'
import { describeToken } from './describe/describe-token.ts'
import type { FoundToken } from './input/found-token.ts'
import type { Verified } from './report/verified.ts'

/** How a token is looked at. */
export interface VerifySettings {
  /** Names of claims that are shown besides the usual ones. */
  readonly claims: readonly string[]
  /** Epoch milliseconds. */
  readonly now: number
}

/** Says what a token is, and judges it. */
export function verifyToken(found: FoundToken, { claims, now }: VerifySettings): Verified {
  const token = found.token.reveal()
  const description = describeToken(token, claims)
  const checks = [...validateLife(description.life, now), ...validateForm(description.kind)]
  return {
    ...description,
    bytes: Buffer.byteLength(token),
    ...(found.shape !== undefined && { shape: found.shape }),
    notes: found.notes,
    headers: describeHeaders(found.headers),
    checks,
    verdict: summarizeChecks(checks),
    now,
  }
}
