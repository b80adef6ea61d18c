import { type CallerContext, verifyCallerIdentity } from '../../../verify/aws/verify-caller-identity.ts'
import { TokenRefusal } from '../../../verify/token-refusal.ts'
import type { Identity } from '../../../verify/verdict.ts'
import type { Fact } from '../describe/description.ts'
import { renderValue } from '../describe/shown-claims.ts'
import { toTokenCheck } from './to-token-checks.ts'
import type { TokenCheck } from './token-check.ts'

/** Sends a proof to AWS STS, and says whose it is. */
export async function askSts(
  token: string,
  context: CallerContext,
): Promise<{ check: TokenCheck; facts: Fact[]; identity?: Identity }> {
  try {
    const identity = await verifyCallerIdentity(token, context)
    const facts = Object.entries(identity.claims).map(([name, value]) => ({ name, value: renderValue(value) }))
    const message = `AWS STS says that it is ${renderValue(identity.subject)}`
    return { check: { name: 'sts', status: 'met', message }, facts, identity }
  } catch (error) {
    if (!(error instanceof TokenRefusal)) throw error
    const { reason, detail, note, message } = error
    return { check: toTokenCheck({ name: 'sts', outcome: 'fail', reason, note: detail ?? note ?? message }), facts: [] }
  }
}
