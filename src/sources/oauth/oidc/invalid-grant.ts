import { HelperError } from '../../../runtime/failure.ts'

/**
 * The provider does not take a refresh token (RFC 6749, section 5.2, `invalid_grant`): it has ended, was revoked, or was redeemed
 * by another process, which has stored the next one.
 */
export class InvalidGrantError extends HelperError {}
