import { HelperError } from '../../../runtime/failure.ts'
import type { ListenerOptions } from './callback-listener.ts'

/** The codes of RFC 6749, section 4.1.2.1, and what providers add to them look like this. */
const errorCode = /^[\w.-]{1,60}$/

/**
 * Fails where the browser came back with an error.
 * @throws {HelperError} as `explain` says it; without that, with the code only: whoever knows the address can send the request,
 * with a description in words of their own.
 */
export function refuseError(
  parameters: URLSearchParams,
  sign: { subject: string; redirectUri: string; explain: ListenerOptions['explainError'] },
): void {
  const error = parameters.get('error')
  if (error === null) return
  const { subject, redirectUri, explain } = sign
  const [description, issuer] = ['error_description', 'iss'].map((name) => parameters.get(name) ?? undefined)
  if (explain) throw explain({ error, description, issuer, redirectUri })
  if (error === 'access_denied')
    throw new HelperError(
      'refused',
      `the sign-in to ${subject} was denied in the browser`,
      'start again, and allow it there',
    )
  const code = errorCode.test(error) ? ` (${error})` : ''
  throw new HelperError(
    'refused',
    `the provider ended the sign-in to ${subject}${code}`,
    'start again, or ask who runs the provider',
  )
}
