import { HelperError } from '../runtime/failure.ts'
import { type ResponseBound, readBounded } from '../runtime/network/bounded-body.ts'
import { undocumentedForm } from './api-error.ts'
import { addressHint, toSafeCode } from './safe-text.ts'

/**
 * Reads an answer as JSON of the shape that `parse` takes.
 * @throws {HelperError} `unavailable` when it is not, or too long or too slow; its text is not repeated.
 */
export async function readAnswer<Value>(response: Response, parse: (value: unknown) => Value): Promise<Value> {
  const text = (await readBounded(response, 'the API', answerBound)).toString()
  try {
    return parse(JSON.parse(text))
  } catch (cause) {
    const request = toSafeCode(response.headers.get('request-id'), [])
    throw new HelperError(
      'unavailable',
      `${undocumentedForm}${request === undefined ? '' : ` (request ${request})`}`,
      addressHint,
      { cause },
    )
  }
}

/** Our decision: a list of a hundred thousand resources takes half of the size. A stream that is passed on has no bound. */
const answerBound: ResponseBound = {
  bytes: 64 * 1024 * 1024,
  sec: 300,
  hint: 'ask for fewer items at a time, with a smaller limit',
}
