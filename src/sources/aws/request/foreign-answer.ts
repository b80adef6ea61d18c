import { HelperError } from '../../../runtime/failure.ts'

/** The hint if an answer cannot come from AWS, because something between this machine and AWS has answered instead. */
export const interceptionHint = 'find out what answers instead of AWS: a sign-in page of the network, or a proxy'

/**
 * AWS never redirects an API call or answers it with a web page. A redirect is not followed, because the request may hold a
 * secret.
 * @throws {HelperError} `unavailable`
 */
export function refuseForeignAnswer({ status, type }: AnswerHead, host: string): void {
  const isRedirect = status >= 300 && status < 400
  const isPage = status < 500 && status !== 429 && type?.startsWith('text/html')
  if (!isRedirect && !isPage) return
  throw new HelperError(
    'unavailable',
    `${host} answered with ${isRedirect ? 'a redirect' : 'a web page'} (HTTP ${status}), which AWS never does`,
    interceptionHint,
  )
}

/** The parts of an answer that show whether it comes from AWS. */
interface AnswerHead {
  readonly status: number
  readonly type: string | null | undefined
}

/**
 * An operation of AWS Query is answered with an element that has its name (Smithy, "AWS protocols").
 * @param service As messages name it.
 * @throws {HelperError} `unavailable` for any other text.
 */
export function refuseForeignText(text: string, operation: string, service: string): void {
  const name = `${operation}Response`
  if (new RegExp(`<${name}[\\s>]`).test(text) && text.trimEnd().endsWith(`</${name}>`)) return
  throw toForeignAnswer(service, 200)
}

/** The failure if something between this machine and AWS has answered. @param service As messages name it. */
export function toForeignAnswer(service: string, status: number, cause?: unknown): HelperError {
  return new HelperError(
    'unavailable',
    `${service} answered with something that is not an answer of AWS (HTTP ${status})`,
    interceptionHint,
    cause === undefined ? {} : { cause },
  )
}
