import { reportTooLarge } from './containers/container.ts'
import { maxBytes } from './containers/limits.ts'
import { type ReadOptions, type ReadResult, readDocument, toUnreadable } from './document.ts'

/** Reads a document from a stream of bytes, and stops after `maxBytes`. */
export async function readStream(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: ReadOptions = {},
): Promise<ReadResult> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return toUnreadable([reportTooLarge()])
  }
  return readDocument(Buffer.concat(chunks), options)
}
