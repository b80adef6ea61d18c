import { HelperError } from '../../../runtime/failure.ts'
import type { AuthenticationChallenge } from './challenge.ts'

/**
 * The failure of a refresh token that the provider does not accept (RFC 6749, section 5.2, `invalid_grant`): it has expired, was revoked,
 * or was redeemed by another process, which has stored its successor.
 */
export class InvalidGrantError extends HelperError {}

/** The failure of a provider that names the time of the next request (`Retry-After`), and has not examined the refresh token. */
export class BusyProviderError extends HelperError {}

/** The failure of a renewal whose tokens are invalid. It is not known whether the refresh token is still valid. */
export class FaultyRenewalError extends HelperError {}

/** The failure of a provider that renews the sign-in without the ID token for the gateway (OpenID Connect Core, section 12.2). */
export class NoIdTokenError extends HelperError {}

/** The failure of a provider that renews the sign-in only after the person has signed in anew, as its challenge requires. */
export class ChallengeError extends HelperError {
  readonly challenge: AuthenticationChallenge

  constructor({ kind, message, hint }: HelperError, challenge: AuthenticationChallenge) {
    super(kind, message, hint)
    this.challenge = challenge
  }
}
