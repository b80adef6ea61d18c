import { createPrivateDirectory } from './create-private-directory.ts'

/**
 * Creates the cache's directory for this user alone, and returns its path.
 * @throws {UnsafeCacheError} for a directory that is not this user's alone, or that cannot be written.
 */
export async function createCacheDirectory(directory: string): Promise<string> {
  await createPrivateDirectory(directory, elsewhere)
  return directory
}

const elsewhere =
  'every call gets a new token until it can be written, or XDG_CACHE_HOME (on Linux) names a directory that can'
