import type { Deadline } from '../../runtime/deadline.ts'
import { findProcessId } from '../../runtime/host.ts'
import { createCacheDirectory } from '../../runtime/private/create-cache.ts'
import { closeLock, type FileLock, openLock } from '../../runtime/private/file-lock.ts'
import { toCacheFilePath } from '../cache/directory.ts'
import type { TokenEntry } from '../cache/entry.ts'
import type { TokenStore } from '../cache/store.ts'
import type { MintFailure } from './failure.ts'
import { type LockHolder, readNote, removeNote, writeNote } from './lock-note.ts'

/** The lock under which one process at a time mints for a key. */
export interface MintLock {
  /** `acquired` holds until the release; `unusable` where the file cannot be locked, which the store has reported. */
  tryAcquire(): Promise<'acquired' | 'busy' | 'unusable'>
  /** The process that holds the lock or held it last, as far as its note tells. */
  findHolder(): Promise<LockHolder | undefined>
  /** Notes that the mint has begun. This and the next three do something only while the lock is held. */
  noteStart(now: number): Promise<void>
  /** Notes that an early renewal has begun; false where that cannot be noted. The note stays until an entry is written. */
  noteRenewal(now: number): Promise<boolean>
  /** Notes why the mint failed. */
  noteFailure(failure: MintFailure): Promise<void>
  /** Writes an entry. */
  write(entry: TokenEntry): Promise<void>
  /** After the deadline it does nothing: the lock ends with this process. */
  release(): Promise<void>
}

/** Opens the lock of a key; `undefined` where it cannot be opened, which the store has reported. */
export async function openMintLock(store: TokenStore, deadline: Deadline): Promise<MintLock | undefined> {
  const { location, tryOrWarn } = store
  const path = toCacheFilePath(location, 'lock')
  const directory = await tryOrWarn('cannot use the token cache', () => createCacheDirectory(location.directory))
  const lock = directory && (await tryOrWarn(`cannot lock ${path}`, () => openLock(path)))
  return lock ? createMintLock(store, lock, deadline) : undefined
}

function createMintLock(store: TokenStore, lock: FileLock, deadline: Deadline): MintLock {
  const { location, tryOrWarn } = store
  const path = toCacheFilePath(location, 'lock')
  const notePath = toCacheFilePath(location, 'note')
  let isHeld = false
  let isKept = false
  let holder: LockHolder | undefined
  const note = async (noted: LockHolder): Promise<boolean> => {
    holder = noted
    if (!isHeld) return false
    // A note that cannot be written in time costs nothing but itself.
    return deadline.during('cache', `writing ${notePath}`, () => writeNote(notePath, noted)).catch(() => false)
  }
  const noteStart = (now: number) => note({ pid: findProcessId(), since: now })
  const release = async () => {
    // The note of a failure stays for the runs that waited; the next mint replaces it.
    if (isHeld && holder && !holder.failed && !isKept) await removeNote(notePath)
    await lock.release()
  }
  return {
    tryAcquire: async () => {
      const isAcquired = await tryOrWarn(`cannot lock ${path}`, () => lock.tryAcquire())
      if (isAcquired === undefined) return 'unusable'
      isHeld = isAcquired
      return isHeld ? 'acquired' : 'busy'
    },
    findHolder: () => readNote(notePath),
    noteStart: async (now) => {
      await noteStart(now)
    },
    noteRenewal: (now) => {
      isKept = true
      return noteStart(now)
    },
    noteFailure: async (failed) => {
      if (holder) await note({ ...holder, failed })
    },
    write: async (entry) => {
      if (!isHeld) return
      await tryOrWarn('cannot store the token for the next run', async () => {
        await store.write(entry)
        isKept = false
      })
    },
    release: () => closeLock({ release }, path, deadline),
  }
}
