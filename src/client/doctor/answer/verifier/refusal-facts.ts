import type { AuthScheme } from '../../../../config/document.ts'
import type { StatedToken } from './stated-token.ts'

/** Everything by which the reason of a refusal is explained. */
export interface RefusalFacts {
  readonly stated: StatedToken
  /** The detail of the verifier, on one line. */
  readonly detail: string | undefined
  readonly authScheme: AuthScheme
  /** The headers that were sent beside the token. */
  readonly headerNames: readonly string[]
  /** By how many seconds this machine's clock is ahead of the gateway's; `undefined` where that is not known. */
  readonly aheadSec: number | undefined
  /** How many seconds the token still lives by this machine's clock; `undefined` where it does not say. */
  readonly leftSec: number | undefined
}

/** The cause of a refusal, and what to do about it, in the imperative. */
export interface RefusalCause {
  readonly cause: string
  readonly hint: string
}
