import { HelperError } from '../failure.ts'
import { toForeignHint } from './network-failure.ts'

/**
 * Reads the whole body of a response, so that a body that breaks off is a network failure and not a short answer.
 * @param host For messages.
 * @throws {HelperError} `unavailable` for a body beyond the bound; otherwise the system's error.
 */
export async function readBody(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  host: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > longestBodyBytes)
      throw new HelperError(
        'unavailable',
        `${host} answered with more than ${longestBodyBytes / 1024} KiB`,
        toForeignHint(host),
      )
  }
  return Buffer.concat(chunks)
}

/** In bytes: the longest body, far longer than every answer that a helper requests. Our decision. */
const longestBodyBytes = 1024 * 1024
