import type { Secret } from '../runtime/secret.ts'

/** The findings of a helper for `gatepass doctor`, without secrets. An absent member does not concern the helper. */
export interface Diagnosis {
  /** The identity that the helper uses, and the steps that lead to it, in their order. */
  readonly identity?: readonly DiagnosisLine[]
  /** Set if the identity is looked up under the names of the client's vendor, so that a program with other names finds another identity. */
  readonly isNamed?: true
  /** The permissions that this identity needs to get the token and to use it. */
  readonly permissions?: readonly Permission[]
  /** The option that selects the algorithm of the token's signature, if the token is a JWT (RFC 7518, section 3.1). */
  readonly algorithm?: AlgorithmOption
  /** URLs of servers whose clocks decide whether the token is valid. */
  readonly clocks?: readonly string[]
  /** The exchange that a failed run would have tried. */
  readonly exchange?: PreparedExchange | undefined
}

/** One observation. `unknown`: it could not be determined. */
export interface DiagnosisLine {
  readonly status: 'good' | 'note' | 'bad' | 'unknown'
  readonly text: string
  /** Details, one line each. */
  readonly details?: readonly string[]
  /** The remedy, in the imperative. */
  readonly hint?: string
}

/** An AWS action that an identity needs, and the fewest resources that suffice. */
export interface Permission {
  /** For example `sts:AssumeRole`. */
  readonly action: string
  /** One or more ARNs, which may contain `*`. */
  readonly resource: string | readonly string[]
  /** The conditions, in the form of a policy statement. */
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A helper's option, such as `algorithm`, and its values. */
export interface AlgorithmOption {
  readonly option: string
  readonly values: readonly string[]
}

/** The run to diagnose. */
export interface DiagnosedRun<P> {
  /** `undefined` if the configuration leads to no plan, which the run has reported. */
  readonly plan: P | undefined
  readonly outcome: 'succeeded' | 'failed'
}

/** The exchange that a helper would have tried, so that a refusal can be explained. */
export interface PreparedExchange {
  readonly assertion: Secret
  readonly baseUrl: string
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
  /** The audience in the helper's options. */
  readonly audience: string | undefined
  /** Whether the source creates a token for each run, or reads a stored one. */
  readonly supply: 'created' | 'stored'
  /** Whether an identity token with a `jti` is exchanged again (RFC 7523, section 3). */
  readonly reuse: 'never' | 'allowed'
}
