import type { AttemptedExchange } from './attempted-exchange.ts'

/** What a helper finds out for `gatepass doctor`, without secrets. What is absent does not concern the helper. */
export interface Diagnosis {
  /** Whose identity it uses and how it comes to it, in the order of the steps. */
  readonly identity?: readonly Observation[]
  /** What that identity must be allowed, for the helper and for its token. */
  readonly permissions?: readonly Permission[]
  /** Which option chooses the algorithm by which its token, a JWT, is signed (RFC 7518, section 3.1). */
  readonly algorithm?: AlgorithmOption
  /** The exchange that a failed run would have tried. */
  readonly exchange?: AttemptedExchange | undefined
}

/** One thing that was looked at. `unknown`: it could not be found out. */
export interface Observation {
  readonly status: 'good' | 'note' | 'bad' | 'unknown'
  readonly text: string
  /** What belongs to it, one line each. */
  readonly details?: readonly string[]
  /** What to do, in the imperative. */
  readonly hint?: string
}

/** An action of AWS that an identity needs, on as little as it needs it for. */
export interface Permission {
  /** Such as `sts:AssumeRole`. */
  readonly action: string
  /** An ARN, perhaps with `*` in it, or several. */
  readonly resource: string | readonly string[]
  /** As in a policy statement. */
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
