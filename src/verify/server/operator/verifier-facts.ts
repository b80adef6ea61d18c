/** What is known of a running verifier besides its verdicts, for readiness and metrics. Times are epoch milliseconds. */
export interface VerifierFacts {
  readonly policy: {
    readonly loadedAt: number
    /** Whether the file on disk cannot be used, so that an earlier one is in force. */
    readonly isFileRefused: boolean
  }
  /** Of the issuers of JWTs that the policy names. */
  readonly issuers: readonly {
    readonly issuer: string
    /** `kept`: they are old, because the issuer is away. `none`: it never gave any. */
    readonly standing: 'fresh' | 'kept' | 'none'
    readonly keys: number
    readonly fetchedAt: number | undefined
  }[]
}
