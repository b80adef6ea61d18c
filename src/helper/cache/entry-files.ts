import type { EntryLocation } from './directory.ts'
import type { TokenEntry } from './entry.ts'

/** How entries are kept on disk: as they are, or sealed. */
export interface EntryFiles {
  /**
   * Reads an entry; `undefined` where there is none.
   * @throws {UnsafeCacheError} for a file that another user could have created or that is no entry, or why it cannot be read.
   */
  read(location: EntryLocation): Promise<TokenEntry | undefined>
  /** Writes an entry. Only for the holder of the key's lock. */
  write(location: EntryLocation, entry: TokenEntry): Promise<void>
}
