import type { Secret } from '../runtime/secret.ts'

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
