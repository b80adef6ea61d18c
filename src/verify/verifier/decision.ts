import type { Identity, Verdict } from '../verdict.ts'

/** What was found out about a token, except whether it was used before. */
export interface Decision {
  readonly verdict: Verdict
  readonly kind: Identity['kind'] | undefined
  /** Epoch milliseconds until which it holds; 0 where it may be another one at once. */
  readonly until: number
  /** Of a token that passes once: what its use is noted by. */
  readonly use?: { readonly digest: string; readonly until: number }
}
