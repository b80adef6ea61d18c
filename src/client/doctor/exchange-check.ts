/** `unseen`: only the platform knows. */
export type CheckStatus = 'unmet' | 'unknown' | 'met'

/** One thing that a platform asks before it exchanges an identity token. */
export interface ExchangeCheck {
  /** A claim, a setting, or the form of the token. */
  readonly what: string
  readonly status: CheckStatus
  readonly message: string
  /** What to do where it is not met, imperative. */
  readonly hint?: string
}

/** A name of somebody else's making, not longer than a person reads. */
export function renderClaim(claim: unknown): string {
  const names = [claim].flat().map((name) => (typeof name === 'object' ? 'no text' : JSON.stringify(name)))
  return names.length === 0 || claim === undefined ? 'none' : names.join(', ').slice(0, 200)
}
