import { HelperError } from '../../runtime/failure.ts'
import { type BodyBound, readBody } from '../../runtime/network/fetch/read-body.ts'
import { addressHint } from '../problem/address-hint.ts'
import { toSafeCode } from '../problem/safe-text.ts'

/** Our decision: a list of a hundred thousand resources takes half of it. A stream has no bound. */
const answerBound: BodyBound = { bytes: 64 * 1024 * 1024, hint: 'ask for less at a time: limit' }

/**
 * Reads an answer as JSON of the shape that `parse` takes.
 * @throws {HelperError} `unavailable` when it is not, or too long; its text is not repeated.
 */
export async function readAnswer<Value>(response: Response, parse: (value: unknown) => Value): Promise<Value> {
  const text = Buffer.from(await readBody(response.body ?? [], 'the API', answerBound)).toString()
  try {
    return parse(JSON.parse(text))
  } catch (cause) {
    const request = toSafeCode(response.headers.get('request-id'), [])
    throw new HelperError(
      'unavailable',
      `the answer is not in the form of the API${request === undefined ? '' : ` (request ${request})`}`,
      addressHint,
      { cause },
    )
  }
}
