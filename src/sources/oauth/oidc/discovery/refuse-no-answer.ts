import { HelperError } from '../../../../runtime/failure.ts'

/** What to do where an answer cannot be the provider's: something between this machine and it has answered instead. */
export const interceptionHint =
  'find out what answers instead of the identity provider: a sign-in page of the network, or a proxy'

/**
 * Refuses what is no answer to a request: a provider that is busy or broken, a redirect, a web page.
 * @throws {HelperError} `unavailable`
 */
export function refuseNoAnswer({ status, headers }: Pick<Response, 'status' | 'headers'>, name: string): void {
  if (status >= 500 || status === 429 || status === 408)
    throw new HelperError('unavailable', `${name} is busy or broken (HTTP ${status})`, 'try again in a moment')
  const isRedirect = status >= 300 && status < 400
  if (!isRedirect && !headers.get('content-type')?.startsWith('text/html')) return
  throw new HelperError(
    'unavailable',
    `${name} answered with ${isRedirect ? 'a redirect, which is not followed' : 'a web page'} (HTTP ${status})`,
    interceptionHint,
  )
}
