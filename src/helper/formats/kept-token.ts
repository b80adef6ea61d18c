import { readCacheFile } from '../../runtime/private/read-cache-file.ts'
import type { Secret } from '../../runtime/secret.ts'
import { clearFile } from '../cache/clear-file.ts'
import { type EntryLocation, toCacheFilePath } from '../cache/directory.ts'
import { readEntry } from '../cache/read-entry.ts'
import { parseEntryOutline } from '../cache/sealed-entry.ts'

/** A token in the cache, as far as it can be read without the keychain. */
export interface KeptToken {
  /** `undefined` for one that is sealed. */
  readonly token?: Secret
  /** Milliseconds since the epoch. */
  readonly minted: number
  readonly expiresAt: number
}

/** Reads what is kept, sealed or not; `undefined` where there is nothing. */
export async function readKeptToken(location: EntryLocation): Promise<KeptToken | undefined> {
  const entry = await readEntry(location)
  if (entry) return entry
  const sealed = await readCacheFile(toCacheFilePath(location, 'sealed')).catch(() => '')
  return parseEntryOutline(sealed)
}

/** Overwrites and removes it. */
export async function removeKeptToken(location: EntryLocation): Promise<void> {
  for (const kind of ['entry', 'sealed'] as const) await clearFile(toCacheFilePath(location, kind))
}
