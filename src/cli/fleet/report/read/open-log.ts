import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

/** One read takes so many bytes: with fewer, waiting for each takes longer than what is done with it. */
const highWaterMark = 256 * 1024

/** The text of a log, in pieces: unpacked where it is compressed by gzip, and of any encoding that Windows writes. */
export function openLog(path: string): AsyncIterable<string> {
  return streamText(createReadStream(path, { highWaterMark }))
}

/** The same of bytes that come from elsewhere, such as standard input. */
export async function* streamText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const source = await startWithHead(bytes)
  if (source.head[0] !== 0x1f || source.head[1] !== 0x8b) return yield* decode(source.head, source.all)
  const gunzip = createGunzip({ chunkSize: highWaterMark })
  pipeline(Readable.from(source.all), gunzip, () => {}) // its error is also the stream's, and is thrown there
  const unpacked = await startWithHead(gunzip)
  yield* decode(unpacked.head, unpacked.all)
}

/** The first bytes, by which a file tells what it is, and all of them. */
async function startWithHead(bytes: AsyncIterable<Uint8Array>) {
  const rest = bytes[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  while (head.length < 4) {
    const { done, value } = await rest.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* iterateAll() {
    if (head.length > 0) yield head
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { head, all: iterateAll() }
}

async function* decode(head: Uint8Array, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder(detectEncoding(head))
  for await (const piece of bytes) yield decoder.decode(piece, { stream: true })
  yield decoder.decode()
}

/** PowerShell redirects into UTF-16, with its mark or without. What is no text in UTF-8 becomes U+FFFD, and is no reason to stop. */
function detectEncoding([first, second, third, fourth]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if ((first === 0xff && second === 0xfe) || (second === 0 && fourth === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && third === 0) ? 'utf-16be' : 'utf-8'
}
