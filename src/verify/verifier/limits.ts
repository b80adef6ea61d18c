/** The bounds of a verifier. */
export interface VerifierLimits {
  /** A longer token is `malformed`. */
  readonly tokenBytes: number
  /** How many tokens are remembered; the one that was not used for longest is dropped first. */
  readonly cacheEntries: number
  /**
   * How long the tokens that are remembered may be together. Their claims take more, parsed: twice as much where they are texts, and
   * seventeen times where somebody fills a token with empty objects.
   */
  readonly cacheBytes: number
  /**
   * In seconds: how long a JWT is accepted without looking at its issuer's keys again. An AWS identity is remembered until it ends,
   * because AWS STS is asked once per token.
   */
  readonly cacheSec: number
  /** In seconds: how long AWS STS is not asked again about a proof that it has refused. */
  readonly refusalSec: number
  /** Tokens of each kind that are verified at the same time; one more is `overloaded`. */
  readonly concurrent: { readonly jwt: number; readonly 'aws-identity': number }
  /** In seconds: after this, the keys, AWS STS or the replay store count as unavailable. */
  readonly verificationSec: number
  readonly replaySec: number
}

/** What holds where nothing else is said. */
export const defaultLimits: VerifierLimits = {
  tokenBytes: 16_384,
  cacheEntries: 10_000,
  cacheBytes: 32 * 1024 * 1024,
  cacheSec: 60,
  refusalSec: 60,
  concurrent: { jwt: 1_000, 'aws-identity': 100 },
  verificationSec: 15,
  replaySec: 5,
}
