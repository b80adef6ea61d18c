import type { ProviderAddresses } from '../../../../contract/identity-providers/detect-family-name.ts'
import type { FailureKind } from '../../../../runtime/failure.ts'
import { againHint } from '../../../../runtime/network/network-failure.ts'
import { newSignInHint } from '../../flow.ts'

/** A refusal by a provider, in its answer to a request or in the redirect of the browser. */
export interface ProviderRefusal {
  /** The code of RFC 6749 and its extensions, such as `invalid_grant`. */
  readonly error: string
  readonly description?: string | undefined
  readonly errorUri?: string | undefined
  /** The HTTP status of the answer; absent for a callback. */
  readonly status?: number | undefined
  readonly where: 'callback' | 'token' | 'device' | 'par' | 'revocation'
  /** The grant that was sent to the token endpoint; by default a refresh token, because `invalid_grant` then asks for a new sign-in. */
  readonly grant?: 'authorization_code' | 'refresh_token' | 'device_code' | undefined
}

/** The settings of the sign-in that was refused, which hints name, with the addresses by which the provider is known. */
export interface RefusalContext extends ProviderAddresses {
  readonly clientId: string
  /** The file of the secret, if a secret was sent. */
  readonly clientSecretFile?: string | undefined
  /** The redirect URI that was sent, with its port. */
  readonly redirectUri?: string | undefined
  /** The service that the person signs in to, as in `the sign-in to …`. */
  readonly subject: string
}

/** Why a sign-in was refused, and what to do. `problem` continues a sentence that begins with "the sign-in to …". */
export interface Reason {
  readonly kind: FailureKind
  readonly problem: string
  readonly hint: string
}

/** The facts from which a reason is made. */
export interface RefusalFacts {
  readonly refusal: ProviderRefusal
  readonly context: RefusalContext
  /** The location and form of this sign-in's registration, for hints that an administrator follows. */
  readonly registration: {
    /** The provider's name in messages. */
    readonly provider: string
    /** How to register the redirect URI: an imperative with the exact URI. */
    readonly registerRedirect: string
    readonly makePublic: string
    /** How this provider names the API instead of `resource`; absent if it has no other way. */
    readonly audience?: string | undefined
  }
}

/** A reason that depends on the sign-in. */
export type ToReason = (facts: RefusalFacts) => Reason

/** Returns whether no person takes part: a refresh token was exchanged. */
export function isRenewal({ refusal }: Pick<RefusalFacts, 'refusal'>): boolean {
  return refusal.where === 'token' && (refusal.grant ?? 'refresh_token') === 'refresh_token'
}

/** Returns whether a person signs in with a code (RFC 8628). */
export function isByCode({ refusal }: Pick<RefusalFacts, 'refusal'>): boolean {
  return refusal.where === 'device' || refusal.grant === 'device_code'
}

/** The hint if the provider cannot end a session by itself. */
export const endElsewhereHint = 'end the session at the provider, on its page of sessions'

/** The problem of a sign-in by somebody to whom the application is not assigned. */
export const unassigned = 'is for people who are assigned to the application'

/** The problem of a sign-in that the organization has ended by rule. */
export const endedByRule = 'has ended, because the organization asks for a sign-in from time to time'

/** The hint for every sign-in that cannot be renewed. */
export const newSessionHint = 'start a new session, so that a person can sign in'

/** Creates a reason for which the registration or the settings have to be corrected, mostly by an administrator. */
export function createSettingReason(problem: string, hint: string): ToReason {
  return () => ({ kind: 'not-configured', problem, hint: toAdministratorHint(hint) })
}

/** Addresses a hint to the administrator, because the person who signs in can rarely follow it. */
export function toAdministratorHint(hint: string): string {
  return `tell your administrator: ${hint}`
}

/** Creates a reason about which somebody other than the person decides. */
export function createPolicyReason(problem: string, hint: string): ToReason {
  return () => ({ kind: 'refused', problem, hint })
}

/** Creates a reason that a new sign-in resolves, because a renewal needs a person, or because the sign-in has to begin anew. */
export function createPersonReason(problem: string, hint = newSignInHint): ToReason {
  return (facts): Reason =>
    isRenewal(facts) ? { kind: 'sign-in-required', problem, hint: newSessionHint } : { kind: 'refused', problem, hint }
}

/** Creates a reason that a sign-in in a browser on this machine may resolve, but a sign-in with a code never does. */
export function createBrowserReason(problem: string, hint: string): ToReason {
  return (facts) =>
    isByCode(facts)
      ? { kind: 'refused', problem, hint: 'sign in with a browser on this machine: --sign-in browser' }
      : createPersonReason(problem, hint)(facts)
}

/** Creates a reason that may pass, with the hint to try again. */
export function createOutageReason(problem: string): ToReason {
  return () => ({ kind: 'unavailable', problem, hint: againHint })
}

/** The redirect URI has to be registered exactly. */
export const unregisteredRedirect: ToReason = ({ registration }) => ({
  kind: 'not-configured',
  problem: 'names a redirect URI that is not registered',
  hint: toAdministratorHint(registration.registerRedirect),
})

/** Somebody has to consent to what the client may do. */
export const consentRequired: ToReason = createPersonReason(
  'needs a consent that nobody has given',
  'start again and consent, or have an administrator consent for the organization',
)

/** The client has to be a public client. */
export const confidentialClient: ToReason = ({ registration }) => ({
  kind: 'not-configured',
  problem: 'was refused, because the client is registered as one with a secret',
  hint: toAdministratorHint(registration.makePublic),
})

/** The problem of a code that the provider does not accept, or not any longer. */
export const unusableCode = 'cannot be completed with this code'
