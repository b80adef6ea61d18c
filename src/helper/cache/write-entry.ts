import { open, rename, rm } from 'node:fs/promises'
import { type EntryLocation, toCacheFilePath } from './directory.ts'
import { renderEntry, type TokenEntry } from './entry.ts'

/** Writes an entry as it is; see {@link writeEntryText}. */
export async function writeEntry(location: EntryLocation, entry: TokenEntry): Promise<void> {
  await writeEntryText(location, renderEntry(entry), 'entry')
}

/**
 * Writes an entry beside its target and renames it, so that a concurrent reader sees the old entry or the new one. Only for
 * the holder of the key's lock: an existing draft was left by a process that died.
 * @throws the system's error, for example `ENOSPC`; no partial file is left then.
 */
export async function writeEntryText(location: EntryLocation, text: string, kind: 'entry' | 'sealed'): Promise<void> {
  const draft = toCacheFilePath(location, 'draft')
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', 0o600)
    await file.writeFile(text).finally(() => file.close())
    await rename(draft, toCacheFilePath(location, kind))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
