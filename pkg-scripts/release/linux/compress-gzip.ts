import { gzipSync } from 'node:zlib'

/** Compresses like `gzip -9n` on Linux: without name and time, so that the same content gives the same bytes. */
export function compressGzip(content: string | Buffer): Buffer {
  const compressed = gzipSync(content, { level: 9 })
  // Unix as the system that made it (RFC 1952, OS), whatever system that was.
  compressed[9] = 3
  return compressed
}
