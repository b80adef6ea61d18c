import { HelperError } from '../../../runtime/failure.ts'
import { isPageType, isRedirectStatus } from '../../../runtime/network/network-failure.ts'

/** The hint for an answer that cannot come from AWS. */
export const interceptionHint = 'find out what answers instead of AWS: a sign-in page of the network, or a proxy'

/**
 * Refuses a redirect and a web page, which AWS never answers an API call with. A redirect is not followed, because the request may hold a
 * secret.
 * @param service The service or its host, for messages.
 * @throws {HelperError} `unavailable`
 */
export function refuseForeignAnswer({ status, type }: AnswerHead, service: string): void {
  const isRedirect = isRedirectStatus(status)
  const isPage = status < 500 && status !== 429 && isPageType(type)
  if (!isRedirect && !isPage) return
  throw new HelperError(
    'unavailable',
    `${service} answered with ${isRedirect ? 'a redirect' : 'a web page'} (HTTP ${status}), which AWS never does`,
    interceptionHint,
  )
}

/** The parts of an answer that show whether it comes from AWS. */
interface AnswerHead {
  readonly status: number
  readonly type: string | null | undefined
}

/**
 * Refuses a text without the element that answers an operation of AWS Query (Smithy, "AWS protocols").
 * @param service The service's name in messages.
 * @throws {HelperError} `unavailable`
 */
export function refuseForeignText(text: string, operation: string, service: string): void {
  const name = `${operation}Response`
  if (new RegExp(`<${name}[\\s>]`).test(text) && text.trimEnd().endsWith(`</${name}>`)) return
  throw toForeignAnswer(service, 200)
}

/**
 * Creates the failure of a request that something between this machine and AWS has answered. @param service The service's name in messages.
 */
export function toForeignAnswer(service: string, status: number, cause?: unknown): HelperError {
  return new HelperError(
    'unavailable',
    `${service} answered with something that is not an answer of AWS (HTTP ${status})`,
    interceptionHint,
    cause === undefined ? {} : { cause },
  )
}
