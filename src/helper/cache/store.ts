import { HelperError } from '../../runtime/failure.ts'
import { UnsafeCacheError } from '../../runtime/private/owner.ts'
import type { EntryLocation } from './directory.ts'
import type { TokenEntry } from './entry.ts'
import type { EntryFiles } from './entry-files.ts'
import { readEntry } from './read-entry.ts'

/** The token cache for one key. Nothing here throws: a cache that cannot be used causes one warning. */
export interface TokenStore {
  readonly location: EntryLocation
  /** The entry; `undefined` where there is none that can be used. */
  read(): Promise<TokenEntry | undefined>
  /** Writes an entry, and throws what {@link EntryFiles} throw. Only for the holder of the key's lock. */
  write(entry: TokenEntry): Promise<void>
  /** The same store, for work of whose failure nobody is told. */
  silence(): TokenStore
  /**
   * Does work that may fail; `undefined` where it did.
   * @param problem What the warning says then, before the reason.
   */
  tryOrWarn<T>(problem: string, work: () => T | Promise<T>): Promise<T | undefined>
}

/**
 * The cache on disk.
 * @param openFiles Opened on use; entries stand as they are where nothing else is said.
 * @param warn Called once at most: a cache that cannot be used costs time, never the credential.
 */
export function createStore(
  location: EntryLocation,
  warn: (message: string) => void,
  openFiles: () => Promise<EntryFiles> = openPlainFiles,
): TokenStore {
  let hasWarned = false
  let files: Promise<EntryFiles> | undefined
  const open = () => {
    files ??= openFiles()
    return files
  }
  const tryOrWarn = async <T>(problem: string, work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (!hasWarned) warn(`${problem}: ${reasonOf(error)}`)
      hasWarned = true
      return undefined
    }
  }
  return {
    location,
    tryOrWarn,
    read: () => tryOrWarn('cannot use the token cache', async () => (await open()).read(location)),
    write: async (entry) => (await open()).write(location, entry),
    silence: () => createStore(location, () => {}, open),
  }
}

async function openPlainFiles(): Promise<EntryFiles> {
  return {
    read: readEntry,
    // Loaded on use, because a call that is served from the cache writes nothing.
    write: async (location, entry) => (await import('./write-entry.ts')).writeEntry(location, entry),
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnsafeCacheError || error instanceof HelperError) return error.message
  // Errors of SQLite have `errstr`, and no path.
  const { code, path, errstr } = error as NodeJS.ErrnoException & { errstr?: string }
  return `${errstr ?? code ?? 'unknown error'}${path ? ` at ${path}` : ''}`
}
