import { processId } from '../runtime/host.ts'
import { cacheFilePath } from './cache-directory.ts'
import { type EntryLock, openLock } from './entry-lock.ts'
import { type LockHolder, readNote, removeNote, writeNote } from './lock-note.ts'
import type { TokenEntry } from './token-entry.ts'
import type { TokenStore } from './token-store.ts'
import { prepareDirectory, writeEntry } from './write-entry.ts'

/** A place in the line of the processes that want to mint for one key. */
export interface MintLine {
  /** Whether it is our turn; until the line is left nobody else's turn comes then. */
  attempt(now: number): Promise<'ours' | 'busy' | 'unusable'>
  /** Whose turn it is, as far as that was said. */
  findHolder(): Promise<LockHolder | undefined>
  /** Keeps a token. Only for whoever's turn it is. */
  write(entry: TokenEntry): Promise<void>
  leave(): void
}

/** Joins the line of a key; `undefined` where there can be none, which the store has told then. */
export async function joinLine(store: TokenStore): Promise<MintLine | undefined> {
  const path = cacheFilePath(store.place, 'lock')
  const directory = await store.dare('cannot use the token cache', () => prepareDirectory(store.place.directory))
  const lock = directory && (await store.dare(`cannot lock ${path}`, () => openLock(path)))
  return lock ? lineAt(store, lock) : undefined
}

function lineAt(store: TokenStore, lock: EntryLock): MintLine {
  const notePath = cacheFilePath(store.place, 'note')
  let isOurs = false
  return {
    attempt: async (now) => {
      const taken = await store.dare(`cannot lock ${cacheFilePath(store.place, 'lock')}`, () => lock.attempt())
      if (taken === undefined) return 'unusable'
      isOurs = taken
      if (isOurs) writeNote(notePath, { pid: processId(), since: now })
      return isOurs ? 'ours' : 'busy'
    },
    findHolder: () => readNote(notePath),
    write: async (entry) => {
      if (isOurs) await store.dare('cannot keep the token for the next run', () => writeEntry(store.place, entry))
    },
    leave: () => {
      if (isOurs) removeNote(notePath)
      lock.release()
    },
  }
}
