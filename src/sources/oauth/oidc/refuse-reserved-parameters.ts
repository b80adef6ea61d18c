import { HelperError } from '../../../runtime/failure.ts'
import type { OidcSettings } from './settings.ts'

/** What a sign-in sets itself: the protocol, or an option of its own. */
const reserved = [
  ...['client_id', 'response_type', 'response_mode', 'redirect_uri', 'scope', 'resource', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'request', 'request_uri'],
]

/**
 * Refuses parameters of the authorization request that would undo its protection, or contradict an option.
 * @throws {HelperError} `not-configured`
 */
export function refuseReservedParameters({ parameters = {} }: Pick<OidcSettings, 'parameters'>): void {
  const name = Object.keys(parameters).find((key) => reserved.includes(key))
  if (name === undefined) return
  throw new HelperError(
    'not-configured',
    `the authorization request is to get the parameter ${name}, which the sign-in sets itself`,
    `remove ${name} from the parameters of the authorization request`,
  )
}
