import type { TokenKind } from '../../../runtime/tokens/token-kind.ts'

/** What a token states; nothing of it is verified, and no secret is in it. */
export interface Description {
  readonly kind: TokenKind
  /** In words, with its article. */
  readonly title: string
  readonly facts: readonly Fact[]
  /** The names of claims whose values are not shown. */
  readonly hidden: readonly string[]
  readonly life: TokenLife
  /** What its owner should know. */
  readonly warnings: readonly string[]
}

/** Something that a token states. */
export interface Fact {
  readonly name: string
  readonly value: string
}

/** When a token begins and ends, in epoch milliseconds, as far as it says so. */
export interface TokenLife {
  readonly issuedAt?: number
  readonly notBefore?: number
  readonly expiresAt?: number
  /** What says when it ends, such as `exp`. */
  readonly source?: string
}
