/** What a verifier waits for before it is ready. */
export interface Readiness {
  readonly isDraining: boolean
  /** Issuers whose keys were never had. */
  readonly missingIssuers: readonly string[]
}

/** Whether it is ready, and why not, in words; pure. */
export function describeReadiness({ isDraining, missingIssuers }: Readiness): { isReady: boolean; text: string } {
  if (isDraining) return { isReady: false, text: 'the verifier is ending\n' }
  if (missingIssuers.length === 0) return { isReady: true, text: 'ready\n' }
  const lines = missingIssuers.map((issuer) => `the keys of ${issuer} have not been fetched yet\n`)
  return { isReady: false, text: lines.join('') }
}
