import { read } from 'node:fs'

/**
 * Reads stdin to its end, or until `isWhole` is true, or until there is more than `longestBytes`. It does not
 * block this thread. Rejects with the system's error.
 */
export async function readStandardInput(longestBytes: number, isWhole: (bytes: Buffer) => boolean): Promise<Buffer> {
  let bytes = Buffer.alloc(0)
  while (bytes.length <= longestBytes && !isWhole(bytes)) {
    const piece = await readPiece(longestBytes + 1 - bytes.length)
    if (piece.length === 0) break
    bytes = Buffer.concat([bytes, piece])
  }
  return bytes
}

/** Reads the next piece; empty at the end. */
async function readPiece(longestBytes: number): Promise<Buffer> {
  for (;;) {
    const { error, piece } = await readSome(longestBytes)
    // On Windows the end of a pipe is an error.
    if (error?.code === 'EOF') return Buffer.alloc(0)
    // EAGAIN: a parent has made the pipe non-blocking, and its writer is slow.
    if (error && error.code !== 'EAGAIN') throw error
    if (!error) return piece
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

function readSome(longestBytes: number): Promise<{ error: NodeJS.ErrnoException | null; piece: Buffer }> {
  const chunk = Buffer.alloc(Math.min(longestBytes, 16_384))
  return new Promise((resolve) =>
    read(0, chunk, 0, chunk.length, null, (error, length) => resolve({ error, piece: chunk.subarray(0, length) })),
  )
}
