import { gzipSync } from 'node:zlib'

/** Compresses as `gzip -9n` on Linux does: without name and time, so that the same content gives the same bytes. */
export function compressGzip(content: string | Buffer): Buffer {
  const compressed = gzipSync(content, { level: 9 })
  // The system that made it (RFC 1952, OS), which is no part of the content: Unix.
  compressed[9] = 3
  return compressed
}
