import type { Policy, PolicyRule } from '../policy/policy.ts'
import type { ReplayStore } from '../replay/replay-store.ts'
import type { Identity } from '../verdict.ts'
import type { VerifierLimits } from './limits.ts'
import type { Observation } from './verifier.ts'

/** What every verifier is put together from. */
export interface VerifierParts {
  /** The policy in force: another object once it has changed, which voids what is remembered. */
  readonly policy: () => Policy
  readonly replay: ReplayStore
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly limits?: Partial<VerifierLimits>
  /** Receives every verdict. It must not throw. */
  readonly observe?: (observation: Observation) => void
}

/** How tokens are checked. Each throws a `TokenRefusal`; anything else that is thrown is a defect. */
export interface TokenChecks {
  readonly identify: Readonly<Record<Identity['kind'], (token: string, policy: Policy) => Promise<Identity>>>
  /** The first rule that lets an identity pass, and the headers that name the caller. */
  readonly applyRules: (identity: Identity, policy: Policy) => AppliedRule
}

/** The rule that counts. */
export interface AppliedRule {
  readonly rule: Pick<PolicyRule, 'name' | 'use'>
  readonly headers: Readonly<Record<string, string>>
}
