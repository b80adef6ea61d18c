import { type EntryLocation, UnsafeCacheError } from './directory.ts'
import type { TokenEntry } from './entry.ts'
import { readEntry } from './read-entry.ts'

/** One key's place in the token cache. Nothing here throws: what cannot be used is told once and passed over. */
export interface TokenStore {
  readonly place: EntryLocation
  read(): Promise<TokenEntry | undefined>
  /** Does what the system may refuse; `undefined` where it did. */
  dare<T>(what: string, work: () => T | Promise<T>): Promise<T | undefined>
}

/**
 * The store on disk.
 * @param warn Told once, whatever goes wrong how often: a cache that cannot be used costs time, never the credential.
 */
export function openStore(place: EntryLocation, warn: (message: string) => void): TokenStore {
  let hasWarned = false
  const dare = async <T>(what: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!hasWarned) warn(`${what}: ${reasonOf(error)}`)
      hasWarned = true
      return undefined
    }
  }
  return { place, dare, read: () => dare('cannot use the token cache', () => readEntry(place)) }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnsafeCacheError) return error.message
  // `errstr` is SQLite's word for an error, which has no path.
  const { code, path, errstr } = error as NodeJS.ErrnoException & { errstr?: string }
  return `${errstr ?? code ?? 'unknown error'}${path ? ` at ${path}` : ''}`
}
