import { HelperError } from '../../../runtime/failure.ts'
import { interceptionHint } from '../sdk/interception-hint.ts'

/**
 * An operation of AWS Query is answered with an element that has its name (Smithy, "AWS protocols").
 * @param service As messages name it.
 * @throws {HelperError} `unavailable` for any other text.
 */
export function refuseForeignText(text: string, operation: string, service: string): void {
  const name = `${operation}Response`
  if (new RegExp(`<${name}[\\s>]`).test(text) && text.trimEnd().endsWith(`</${name}>`)) return
  throw new HelperError(
    'unavailable',
    `${service} answered with something that is no answer of AWS (HTTP 200)`,
    interceptionHint,
  )
}
