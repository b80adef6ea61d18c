import { HelperError } from '../../../../runtime/failure.ts'
import { describeSession } from '../files/sso-session.ts'
import { OidcRefusal } from '../requests/oidc-answer.ts'
import { type SsoSite, signInLimitSec } from '../sso-parts.ts'

/** Whether AWS refused the registered client, which it forgets after a while, and not the sign-in. */
export function isClientRefused(error: unknown): error is OidcRefusal {
  return error instanceof OidcRefusal && ['invalid_client', 'unauthorized_client'].includes(error.code)
}

/** A refusal in words; any other error as it is. */
export function toSignInFailure(error: unknown, { session, place }: SsoSite): unknown {
  if (!(error instanceof OidcRefusal)) return error
  const subject = describeSession(session)
  const options = { cause: error }
  switch (error.code) {
    case 'access_denied':
      return new HelperError(
        'refused',
        `the sign-in to ${subject} was denied in the browser`,
        'start again, and allow it there',
        options,
      )
    case 'expired_token':
      return new HelperError(
        'sign-in-required',
        `nobody finished the sign-in to ${subject} within ${signInLimitSec / 60} minutes`,
        'start again, which begins a new one',
        options,
      )
    case 'invalid_grant':
      return new HelperError(
        'refused',
        `AWS SSO did not accept the code with which the sign-in to ${subject} ended (${error.code})`,
        'start again, which begins a new one',
        options,
      )
    default:
      return new HelperError(
        'refused',
        `AWS SSO in ${session.region} refused the sign-in to ${subject} at ${session.startUrl} (${error.code})`,
        `correct sso_start_url, sso_region or sso_registration_scopes in ${place}: IAM Identity Center shows the first two`,
        options,
      )
  }
}
