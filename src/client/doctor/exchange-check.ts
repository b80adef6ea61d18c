/** `unknown`: only the platform knows. */
export type CheckStatus = 'unmet' | 'unknown' | 'met'

/** One condition of a token exchange, as far as it can be checked. */
export interface ExchangeCheck {
  /** A claim, a setting, or the form of the token. */
  readonly what: string
  readonly status: CheckStatus
  readonly message: string
  /** What to do if it is not met, in the imperative. */
  readonly hint?: string
}

/** A claim in quotes; shortened, because its issuer may write anything. */
export function renderClaim(claim: unknown): string {
  const names = [claim].flat().map((name) => (typeof name === 'object' ? 'no text' : JSON.stringify(name)))
  return names.length === 0 || claim === undefined ? 'none' : names.join(', ').slice(0, 200)
}
