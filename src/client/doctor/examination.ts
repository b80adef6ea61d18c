/** How one part of an examination went. `note`: it works, and there is something to know. */
export type Outcome = 'good' | 'note' | 'bad' | 'not examined'

/** One part of an examination, fit for a support ticket: no secret in it. */
export interface Part {
  readonly part: 'document' | 'installation' | 'helper' | 'run' | 'exchange' | 'token' | 'gateway'
  readonly outcome: Outcome
  readonly lines: readonly string[]
  /** What to do, in the imperative; absent when there is nothing to do. */
  readonly hint?: string
}

/** Whether all is well, notes included. */
export function hasPassed(parts: readonly Part[]): boolean {
  return parts.every(({ outcome }) => outcome === 'good' || outcome === 'note')
}
