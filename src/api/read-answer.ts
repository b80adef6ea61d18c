import { HelperError } from '../runtime/failure.ts'

/**
 * Reads an answer that ought to be JSON of some shape.
 * @throws {HelperError} `unavailable` when it is not; what it says is not repeated.
 */
export async function readAnswer<Value>(response: Response, parse: (value: unknown) => Value): Promise<Value> {
  const text = await response.text()
  try {
    return parse(JSON.parse(text))
  } catch (cause) {
    const request = response.headers.get('request-id')
    throw new HelperError(
      'unavailable',
      `the answer is not what the API promises${request === null ? '' : ` (request ${request})`}`,
      'check that the address is that of the API and not of a page or proxy before it',
      { cause },
    )
  }
}
