import { HelperError } from '../failure.ts'

/** No answer that we ask for comes near it. */
const longestAnswerBytes = 1024 * 1024

/**
 * Reads the whole body of an answer, so that one that breaks off is a failure of the connection and of nothing else.
 * @throws {HelperError} `unavailable` for one that would fill the memory; otherwise the system's error.
 */
export async function readBody(body: AsyncIterable<Uint8Array>, who: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > longestAnswerBytes)
      throw new HelperError(
        'unavailable',
        `${who} answered with more than ${longestAnswerBytes / 1024} KiB`,
        `find out what answers in the place of ${who}`,
      )
  }
  return Buffer.concat(chunks)
}
