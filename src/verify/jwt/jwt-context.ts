import type { JwtTrust } from '../policy/policy.ts'
import type { KeyFinder } from './keys/key-finder.ts'

/** What a JWT is verified by. */
export interface JwtContext {
  /** One for each issuer. */
  readonly trusts: readonly JwtTrust[]
  readonly keys: KeyFinder
  /** Epoch milliseconds. */
  readonly now: number
  readonly clockSkewSec: number
}
