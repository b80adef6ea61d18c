import { HelperError } from '../../../runtime/failure.ts'
import { interceptionHint } from './interception-hint.ts'

/** What tells an answer of AWS from another one. */
interface Answer {
  readonly status: number
  readonly type: string | null | undefined
}

/**
 * AWS never redirects an API call or answers it with a web page. A redirect is not followed, because the request may hold a
 * secret.
 * @throws {HelperError} `unavailable`
 */
export function refuseForeignAnswer({ status, type }: Answer, host: string): void {
  const isRedirect = status >= 300 && status < 400
  const isPage = status < 500 && status !== 429 && type?.startsWith('text/html')
  if (!isRedirect && !isPage) return
  throw new HelperError(
    'unavailable',
    `${host} answered with ${isRedirect ? 'a redirect' : 'a web page'} (HTTP ${status}), which AWS never does`,
    interceptionHint,
  )
}
