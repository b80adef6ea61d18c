import { HelperError } from '../../../../runtime/failure.ts'
import { parseRetryAfter } from '../../../../runtime/network/fetch/retry-policy.ts'

/** What to do where an answer cannot be the provider's: something between this machine and it has answered instead. */
export const interceptionHint =
  'find out what answers instead of the identity provider: a sign-in page of the network, or a proxy'

/**
 * Refuses what is no answer to a request: a provider that is busy or broken, a redirect, a web page.
 * @throws {HelperError} `unavailable`
 */
export function refuseNoAnswer({ status, headers }: Pick<Response, 'status' | 'headers'>, name: string): void {
  if (status >= 500 || status === 429 || status === 408)
    throw new HelperError('unavailable', `${name} is busy or broken (HTTP ${status})`, toAgainHint(headers))
  const isRedirect = status >= 300 && status < 400
  if (!isRedirect && !headers.get('content-type')?.startsWith('text/html')) return
  throw new HelperError(
    'unavailable',
    `${name} answered with ${isRedirect ? 'a redirect, which is not followed' : 'a web page'} (HTTP ${status})`,
    interceptionHint,
  )
}

/** A provider may say when it can be asked again. */
function toAgainHint(headers: Pick<Headers, 'get'>): string {
  const minutes = Math.ceil((parseRetryAfter(headers.get('retry-after')) ?? 0) / 60_000)
  return minutes <= 1 ? 'try again in a moment' : `try again in ${minutes} minutes, for which the provider asks`
}
