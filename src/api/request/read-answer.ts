import { HelperError } from '../../runtime/failure.ts'
import { type BodyBound, readBody } from '../../runtime/network/fetch/read-body.ts'
import { safeCode } from '../problem/safe-words.ts'

/** Ours: a list of a hundred thousand resources, all at once, takes half of it. A stream has no bound. */
const answerBound: BodyBound = { bytes: 64 * 1024 * 1024, way: 'ask for less at a time: limit' }

/**
 * Reads an answer that ought to be JSON of some shape.
 * @throws {HelperError} `unavailable` when it is not, or too long; what it says is not repeated.
 */
export async function readAnswer<Value>(response: Response, parse: (value: unknown) => Value): Promise<Value> {
  const text = Buffer.from(await readBody(response.body ?? [], 'the API', answerBound)).toString()
  try {
    return parse(JSON.parse(text))
  } catch (cause) {
    const request = safeCode(response.headers.get('request-id'), [])
    throw new HelperError(
      'unavailable',
      `the answer is not what the API promises${request === undefined ? '' : ` (request ${request})`}`,
      'check that the address is that of the API and not of a page or proxy before it',
      { cause },
    )
  }
}
