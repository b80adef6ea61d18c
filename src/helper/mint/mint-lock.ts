import { findProcessId } from '../../runtime/host.ts'
import { toCacheFilePath } from '../cache/directory.ts'
import type { TokenEntry } from '../cache/entry.ts'
import { type EntryLock, openLock } from '../cache/entry-lock.ts'
import type { TokenStore } from '../cache/store.ts'
import { prepareDirectory, writeEntry } from '../cache/write-entry.ts'
import type { MintFailure } from './failure.ts'
import { type LockHolder, readNote, removeNote, writeNote } from './lock-note.ts'

/** A place in the line of the processes that want to mint for one key. */
export interface MintLock {
  /** Whether it is our turn; until the line is left nobody else's turn comes then. */
  attempt(): Promise<'ours' | 'busy' | 'unusable'>
  /** Whose turn it is, or was last, as far as that was said. */
  findHolder(): Promise<LockHolder | undefined>
  /** Says that we are at work. Only for whoever's turn it is, like the next two. */
  begin(now: number): void
  /** Says why we came to nothing. */
  fail(failure: MintFailure): void
  /** Keeps a token. */
  write(entry: TokenEntry): Promise<void>
  leave(): void
}

/** Joins the line of a key; `undefined` where there can be none, which the store has told then. */
export async function openMintLock(store: TokenStore): Promise<MintLock | undefined> {
  const path = toCacheFilePath(store.place, 'lock')
  const directory = await store.dare('cannot use the token cache', () => prepareDirectory(store.place.directory))
  const lock = directory && (await store.dare(`cannot lock ${path}`, () => openLock(path)))
  return lock ? lineAt(store, lock) : undefined
}

function lineAt(store: TokenStore, lock: EntryLock): MintLock {
  const notePath = toCacheFilePath(store.place, 'note')
  let isOurs = false
  let holder: LockHolder | undefined
  const say = (said: LockHolder) => {
    if (isOurs) writeNote(notePath, said)
    holder = said
  }
  return {
    attempt: async () => {
      const taken = await store.dare(`cannot lock ${toCacheFilePath(store.place, 'lock')}`, () => lock.attempt())
      if (taken === undefined) return 'unusable'
      isOurs = taken
      return isOurs ? 'ours' : 'busy'
    },
    findHolder: () => readNote(notePath),
    begin: (now) => say({ pid: findProcessId(), since: now }),
    fail: (failed) => holder && say({ ...holder, failed }),
    write: async (entry) => {
      if (isOurs) await store.dare('cannot keep the token for the next run', () => writeEntry(store.place, entry))
    },
    leave: () => {
      // A failure stays, for those who waited; whoever is next at work takes its place.
      if (isOurs && holder && !holder.failed) removeNote(notePath)
      lock.release()
    },
  }
}
