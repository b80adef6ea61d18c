import { type CallerContext, verifyCallerIdentity } from '../../../verify/aws/verify-caller-identity.ts'
import { TokenRefusal } from '../../../verify/token-refusal.ts'
import type { Fact } from '../describe/description.ts'
import { renderValue } from '../describe/shown-claims.ts'
import { toTokenCheck } from './to-token-checks.ts'
import type { TokenCheck } from './token-check.ts'

/** Sends a proof to AWS STS, and says whose it is. */
export async function askSts(token: string, context: CallerContext): Promise<{ check: TokenCheck; facts: Fact[] }> {
  try {
    const { claims, subject } = await verifyCallerIdentity(token, context)
    const facts = Object.entries(claims).map(([name, value]) => ({ name, value: renderValue(value) }))
    return { check: { name: 'sts', status: 'met', message: `AWS STS says that it is ${renderValue(subject)}` }, facts }
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error
    const { reason, note, message } = error
    return { check: toTokenCheck({ name: 'sts', outcome: 'fail', reason, note: note ?? message }), facts: [] }
  }
}
