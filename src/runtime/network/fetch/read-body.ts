import { HelperError } from '../../failure.ts'

export interface BodyBound {
  readonly bytes: number
  /** What to do about an answer beyond it, imperative. */
  readonly hint: string
}

/** No answer that a helper asks for comes near it. */
const longestAnswerBytes = 1024 * 1024

/**
 * Reads the whole body of an answer, so that one that breaks off is a failure of the connection and of nothing else.
 * @throws {HelperError} `unavailable` for one that would fill the memory; otherwise the system's error.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  who: string,
  bound: BodyBound = { bytes: longestAnswerBytes, hint: `find out what answers in the place of ${who}` },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > bound.bytes)
      throw new HelperError('unavailable', `${who} answered with more than ${bound.bytes / 1024} KiB`, bound.hint)
  }
  return Buffer.concat(chunks)
}
