import { readOpenFile, readOpenStatus, readWith, safeOpenFlags } from '../disk.ts'
import { refuseSharedFile, UnsafeCacheError } from './owner.ts'

/**
 * Reads a file of the cache, never through a link, and never waiting for the other end of a pipe.
 * @throws {UnsafeCacheError}, or the system's error.
 */
export async function readCacheFile(path: string): Promise<string> {
  try {
    return await readWith(path, safeOpenFlags, async (file) => {
      const status = await readOpenStatus(file)
      refuseSharedFile(path, status)
      return readOpenFile(file, status.size)
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      throw new UnsafeCacheError(`${path} is a link (run: rm '${path}')`)
    throw error
  }
}
