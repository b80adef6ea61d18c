import { HelperError } from '../../../runtime/failure.ts'
import type { AuthenticationChallenge } from './challenge.ts'

/**
 * The provider does not take a refresh token (RFC 6749, section 5.2, `invalid_grant`): it has ended, was revoked, or was redeemed
 * by another process, which has stored the next one.
 */
export class InvalidGrantError extends HelperError {}

/** The provider has said when it can be asked again, and has not looked at the refresh token. */
export class BusyProviderError extends HelperError {}

/** The provider has issued tokens for a refresh token, and they failed their checks: nobody can tell what became of the sign-in. */
export class FaultyRenewalError extends HelperError {}

/** The provider renews the sign-in without the ID token that the gateway is to get (OpenID Connect Core, section 12.2). */
export class NoIdTokenError extends HelperError {}

/** The provider renews the sign-in when the person has signed in anew, in the way that its challenge names. */
export class ChallengeError extends HelperError {
  readonly challenge: AuthenticationChallenge

  constructor({ kind, message, hint }: HelperError, challenge: AuthenticationChallenge) {
    super(kind, message, hint)
    this.challenge = challenge
  }
}
