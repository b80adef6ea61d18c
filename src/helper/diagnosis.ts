import type { Secret } from '../runtime/secret.ts'

/** The findings of a helper for `gatepass doctor`, without secrets. Absent members do not concern the helper. */
export interface Diagnosis {
  /** The identity that it uses and how it gets it, in the order of the steps. */
  readonly identity?: readonly DiagnosisLine[]
  /** Whether the identity is looked up under the names of the client's vendor: a program with other names finds another one. */
  readonly isNamed?: true
  /** The permissions that this identity needs, for the helper and for its token. */
  readonly permissions?: readonly Permission[]
  /** The option that chooses the algorithm by which its token, a JWT, is signed (RFC 7518, section 3.1). */
  readonly algorithm?: AlgorithmOption
  /** URLs of servers whose clocks decide whether its tokens are valid. */
  readonly clocks?: readonly string[]
  /** The exchange that a failed run would have tried. */
  readonly exchange?: AttemptedExchange | undefined
}

/** One observation of a diagnosis. `unknown`: it could not be found out. */
export interface DiagnosisLine {
  readonly status: 'good' | 'note' | 'bad' | 'unknown'
  readonly text: string
  /** Details, one line each. */
  readonly details?: readonly string[]
  /** The way out, in the imperative. */
  readonly hint?: string
}

/** An action of AWS that an identity needs, on as little as it needs it for. */
export interface Permission {
  /** Such as `sts:AssumeRole`. */
  readonly action: string
  /** An ARN, perhaps with `*` in it, or several. */
  readonly resource: string | readonly string[]
  /** The conditions, in the form of a policy statement. */
  readonly condition?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** An option of a helper, such as `algorithm`, with its values. */
export interface AlgorithmOption {
  readonly option: string
  readonly values: readonly string[]
}

/** The run that a diagnosis is about. */
export interface DiagnosedRun<P> {
  /** `undefined` where the configuration does not lead to one, which the run has said. */
  readonly plan: P | undefined
  readonly outcome: 'succeeded' | 'failed'
}

/** The exchange that a helper would have tried, so that a refusal can be explained. */
export interface AttemptedExchange {
  readonly assertion: Secret
  readonly baseUrl: string
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
  /** The audience that the helper's options name. */
  readonly audience: string | undefined
  /** Whether the source creates a token for each run, or reads a stored one. */
  readonly supply: 'created' | 'stored'
  /** Whether an identity token with a `jti` is exchanged again (RFC 7523, section 3). */
  readonly reuse: 'never' | 'allowed'
}
