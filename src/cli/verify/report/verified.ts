import type { TokenCheck, TokenVerdict } from '../checks/token-check.ts'
import type { HeaderDescription } from '../describe/describe-headers.ts'
import type { Description } from '../describe/description.ts'

/** Everything that is told of a token; no secret. */
export interface Verified extends Description {
  readonly bytes: number
  /** What the token was read out of, in words; absent for a bare token. */
  readonly shape?: string
  readonly notes: readonly string[]
  readonly headers: readonly HeaderDescription[]
  readonly checks: readonly TokenCheck[]
  readonly verdict: TokenVerdict
  /** Epoch milliseconds. */
  readonly now: number
}
