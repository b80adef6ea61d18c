import { findProcessId } from '../../runtime/host.ts'
import { toCacheFilePath } from '../cache/directory.ts'
import type { TokenEntry } from '../cache/entry.ts'
import { type EntryLock, openLock } from '../cache/entry-lock.ts'
import type { TokenStore } from '../cache/store.ts'
import { createCacheDirectory, writeEntry } from '../cache/write-entry.ts'
import type { MintFailure } from './failure.ts'
import { type LockHolder, readNote, removeNote, writeNote } from './lock-note.ts'

/** The lock under which one process at a time mints for a key. */
export interface MintLock {
  /** `acquired` holds until the release; `unusable` where the file cannot be locked, which the store has reported. */
  tryAcquire(): Promise<'acquired' | 'busy' | 'unusable'>
  /** The process that holds the lock or held it last, as far as its note tells. */
  findHolder(): Promise<LockHolder | undefined>
  /** Notes that the mint has begun. This and the next two do something only while the lock is held. */
  noteStart(now: number): void
  /** Notes why the mint failed. */
  noteFailure(failure: MintFailure): void
  /** Writes an entry. */
  write(entry: TokenEntry): Promise<void>
  release(): void
}

/** Opens the lock of a key; `undefined` where it cannot be opened, which the store has reported. */
export async function openMintLock(store: TokenStore): Promise<MintLock | undefined> {
  const { location, tryOrWarn } = store
  const path = toCacheFilePath(location, 'lock')
  const directory = await tryOrWarn('cannot use the token cache', () => createCacheDirectory(location.directory))
  const lock = directory && (await tryOrWarn(`cannot lock ${path}`, () => openLock(path)))
  return lock ? createMintLock(store, lock) : undefined
}

function createMintLock({ location, tryOrWarn }: TokenStore, lock: EntryLock): MintLock {
  const notePath = toCacheFilePath(location, 'note')
  let isHeld = false
  let holder: LockHolder | undefined
  const note = (noted: LockHolder) => {
    if (isHeld) writeNote(notePath, noted)
    holder = noted
  }
  return {
    tryAcquire: async () => {
      const isAcquired = await tryOrWarn(`cannot lock ${toCacheFilePath(location, 'lock')}`, () => lock.tryAcquire())
      if (isAcquired === undefined) return 'unusable'
      isHeld = isAcquired
      return isHeld ? 'acquired' : 'busy'
    },
    findHolder: () => readNote(notePath),
    noteStart: (now) => note({ pid: findProcessId(), since: now }),
    noteFailure: (failed) => holder && note({ ...holder, failed }),
    write: async (entry) => {
      if (isHeld) await tryOrWarn('cannot store the token for the next run', () => writeEntry(location, entry))
    },
    release: () => {
      // The note of a failure stays for the runs that waited; the next mint replaces it.
      if (isHeld && holder && !holder.failed) removeNote(notePath)
      lock.release()
    },
  }
}
