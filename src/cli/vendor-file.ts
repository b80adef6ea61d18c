import { longestFileBytes, readIfPresent } from '../runtime/disk.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'

/**
 * The text of a vendor file, or of standard input (`-`).
 * @throws {HelperError} `usage` for a file that does not exist.
 */
export async function readVendorFile(host: Host, path: string): Promise<string> {
  const text = path === '-' ? await readStandard(host) : await readIfPresent(path)
  if (text === undefined) throw new HelperError('usage', `${path} does not exist`, 'name an existing vendor file')
  return text
}

/** @throws {HelperError} `usage` for more than a file may have. */
async function readStandard({ streams }: Host): Promise<string> {
  const bytes = await streams.stdin(longestFileBytes, () => false)
  if (bytes.length <= longestFileBytes) return Buffer.from(bytes).toString('utf8')
  throw new HelperError('usage', 'standard input is too long', 'pipe the text of one vendor file in')
}
