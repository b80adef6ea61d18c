import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'

/** Returns the files of these names in a `.tar.gz`, of those that it holds. */
export async function expandArchive(packed: Buffer, names: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const entries = Readable.from([packed]).pipe(createGunzip()).pipe(extract())
  for await (const entry of entries) {
    if (names.includes(entry.header.name)) found.set(entry.header.name, await buffer(entry))
    else entry.resume()
  }
  return found
}
