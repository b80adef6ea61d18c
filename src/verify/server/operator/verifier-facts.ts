/** What is known of a running verifier besides its verdicts, for readiness and metrics. Times are epoch milliseconds. */
export interface VerifierFacts {
  readonly policy: {
    readonly loadedAt: number
    /** Whether the file on disk cannot be used, so that an earlier one is in force. */
    readonly isFileRefused: boolean
  }
  /** Whether the store of used tokens does not answer, so that no token that is accepted once passes. */
  readonly isReplayStoreAway: boolean
  /** Of the issuers of JWTs that the policy names. */
  readonly issuers: readonly {
    readonly issuer: string
    /** `none`: it never gave any, or has been away for too long. */
    readonly standing: 'fresh' | 'kept' | 'none'
    readonly keys: number
    readonly fetchedAt: number | undefined
    /** While the last request for them has failed. */
    readonly failure: object | undefined
  }[]
}
