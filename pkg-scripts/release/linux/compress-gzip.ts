import { gzipSync } from 'node:zlib'

/** Compresses like `gzip -9n` on Linux: without name and time, so that the same content gives the same bytes. */
export function compressGzip(content: string | Buffer): Buffer {
  const compressed = gzipSync(content, { level: 9 })
  // The number of Unix as the system that made the file (RFC 1952, OS), for the same bytes on every system.
  compressed[9] = 3
  return compressed
}
