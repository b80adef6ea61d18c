import { UnsafeCacheError } from '../../runtime/private/owner.ts'
import type { EntryLocation } from './directory.ts'
import type { TokenEntry } from './entry.ts'
import { readEntry } from './read-entry.ts'

/** The token cache for one key. Nothing here throws: a cache that cannot be used causes one warning. */
export interface TokenStore {
  readonly location: EntryLocation
  /** The entry; `undefined` where there is none that can be used. */
  read(): Promise<TokenEntry | undefined>
  /**
   * Does work that may fail; `undefined` where it did.
   * @param problem What the warning says then, before the reason.
   */
  tryOrWarn<T>(problem: string, work: () => T | Promise<T>): Promise<T | undefined>
}

/**
 * The cache on disk.
 * @param warn Called once at most: a cache that cannot be used costs time, never the credential.
 */
export function createStore(location: EntryLocation, warn: (message: string) => void): TokenStore {
  let hasWarned = false
  const tryOrWarn = async <T>(problem: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!hasWarned) warn(`${problem}: ${reasonOf(error)}`)
      hasWarned = true
      return undefined
    }
  }
  return { location, tryOrWarn, read: () => tryOrWarn('cannot use the token cache', () => readEntry(location)) }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnsafeCacheError) return error.message
  // Errors of SQLite have `errstr`, and no path.
  const { code, path, errstr } = error as NodeJS.ErrnoException & { errstr?: string }
  return `${errstr ?? code ?? 'unknown error'}${path ? ` at ${path}` : ''}`
}
