import type { Readable } from 'node:stream'

/**
 * Reads a program's piped input to its end, as UTF-8.
 * @returns `undefined` if it is longer than `maxBytes`.
 */
export async function readPipedText(
  input: Readable,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  signal.addEventListener('abort', () => input.destroy(), { once: true })
  const pieces: Buffer[] = []
  let total = 0
  for await (const piece of input) {
    const bytes = Buffer.from(piece)
    total += bytes.length
    if (total > maxBytes) return undefined
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}
