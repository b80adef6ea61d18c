/** `unseen`: only the platform knows. */
export type Verdict = 'unmet' | 'unseen' | 'met'

/** One thing that a platform asks before it exchanges an identity token. */
export interface ExchangeCheck {
  /** A claim, a setting, or the form of the token. */
  readonly what: string
  readonly verdict: Verdict
  readonly says: string
  /** What to do where it is not met, imperative. */
  readonly way?: string
}

/** A name of somebody else's making, not longer than a person reads. */
export function quoteClaim(claim: unknown): string {
  const names = [claim].flat().map((name) => (typeof name === 'object' ? 'no text' : JSON.stringify(name)))
  return names.length === 0 || claim === undefined ? 'none' : names.join(', ').slice(0, 200)
}
