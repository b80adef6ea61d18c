import type { FailureKind } from '../../../../../runtime/failure.ts'

/** A refusal of a provider: its answer to a request, or what the browser came back with. */
export interface Refusal {
  /** The code of RFC 6749 and its extensions, such as `invalid_grant`. */
  readonly error: string
  readonly description?: string | undefined
  readonly errorUri?: string | undefined
  /** The HTTP status of the answer; absent for a callback. */
  readonly status?: number | undefined
  readonly where: 'callback' | 'token' | 'device' | 'par' | 'revocation'
  /** What was exchanged at the token endpoint; without it, a refresh token, as `invalid_grant` then asks for a new sign-in. */
  readonly grant?: 'authorization_code' | 'refresh_token' | 'device_code' | undefined
}

/** The sign-in that was refused. */
export interface RefusalContext {
  readonly issuer?: string | undefined
  /** The endpoints, by which a provider is recognized where there is no issuer. */
  readonly authorizationUrl?: string | undefined
  readonly tokenUrl?: string | undefined
  readonly clientId: string
  /** Where a secret was sent: the file that it is from. */
  readonly clientSecretFile?: string | undefined
  /** With the port that was in use. */
  readonly redirectUri?: string | undefined
  /** What the person signs in to, as in `the sign-in to …`. */
  readonly subject: string
}

/** Why, and what to do. `problem` goes on after "the sign-in to …". */
export interface Reason {
  readonly kind: FailureKind
  readonly problem: string
  readonly hint: string
}

/** What reasons are made from. */
export interface RefusalFacts {
  readonly refusal: Refusal
  readonly context: RefusalContext
  /** Where and how this sign-in is registered, for hints. */
  readonly registration: {
    /** As messages name the provider. */
    readonly provider: string
    /** Registers the redirect URI: an imperative with the exact URI. */
    readonly registerRedirect: string
    readonly makePublic: string
    /** Names the API in another way than with `resource`; absent where there is none. */
    readonly audience?: string | undefined
  }
}

/** A reason that depends on the sign-in. */
export type FindReason = (facts: RefusalFacts) => Reason

/** Whether no person takes part: a refresh token was exchanged. */
export function isRenewal({ refusal }: Pick<RefusalFacts, 'refusal'>): boolean {
  return refusal.where === 'token' && (refusal.grant ?? 'refresh_token') === 'refresh_token'
}

/** Whether a person signs in with a code (RFC 8628). */
export function isByCode({ refusal }: Pick<RefusalFacts, 'refusal'>): boolean {
  return refusal.where === 'device' || refusal.grant === 'device_code'
}
