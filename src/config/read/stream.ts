import { maxBytes } from '../limits.ts'
import { tooLarge } from './containers/container.ts'
import { type ReadContext, type ReadResult, readDocument, unreadable } from './document.ts'

/** Reads a document from whatever hands out bytes, and no further than a document may be long. */
export async function readStream(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  context: ReadContext = {},
): Promise<ReadResult> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return unreadable([tooLarge()])
  }
  return readDocument(Buffer.concat(chunks), context)
}
