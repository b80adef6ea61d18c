import type { Secret } from '../runtime/secret.ts'

/** The exchange of an identity token as a helper would have tried it, so that a refusal can be explained. */
export interface AttemptedExchange {
  readonly assertion: Secret
  readonly baseUrl: string
  readonly organizationId: string
  readonly federationRuleId: string
  readonly serviceAccountId: string | undefined
  readonly workspaceId: string | undefined
  /** What the helper is told that the identity token must be for. */
  readonly audience: string | undefined
  /** Whether the source creates a token for each run, or hands out a stored one. */
  readonly supply: 'created' | 'stored'
  /** Whether an identity token with a `jti` is exchanged again (RFC 7523, section 3). */
  readonly reuse: 'never' | 'allowed'
}
