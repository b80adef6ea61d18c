import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../../runtime/deadline.ts'
import { readLinkStatus } from '../../runtime/disk.ts'
import {
  type CacheFile,
  type EntryLocation,
  refuseSharedDirectory,
  toCacheFilePath,
  toLockPath,
} from '../cache/directory.ts'
import { closeLock, type EntryLock, openLock } from '../cache/entry-lock.ts'
import type { TokenStore } from '../cache/store.ts'
import { createCacheDirectory } from '../cache/write-entry.ts'
import type { UsedAssertions } from '../define-helper.ts'

/** How long a run waits before it looks again whether another one has finished with an assertion. */
const pauseMs = 50

/**
 * Records used assertions as files beside the cached tokens. Where the directory cannot be used, which the store reports, every
 * assertion counts as new: at worst the platform refuses it.
 */
export function createUsedAssertions({ location, tryOrWarn }: TokenStore, deadline: Deadline): UsedAssertions {
  return {
    use: async (id, work) => {
      const file: CacheFile = { location: { ...location, key: id }, kind: 'used' }
      const lock = await deadline.during(`opening the token cache in ${location.directory}`, () =>
        tryOrWarn('cannot use the token cache', async () => {
          await createCacheDirectory(location.directory)
          return openLock(toLockPath(file))
        }),
      )
      try {
        if (lock)
          await deadline.during(`another run of ${location.program}`, ({ signal }) => acquire(lock, file, signal))
        if (await tryOrWarn('cannot use the token cache', () => isUsedAssertion(file.location))) return 'used'
        return await work(async (until) => {
          await tryOrWarn('cannot record for the next run that the identity token was used', () => write(file, until))
        })
      } finally {
        if (lock) await closeLock(lock, toLockPath(file), deadline)
      }
    },
  }

  /** Waits for the lock. When its holder dies, it can be acquired at once. */
  async function acquire(lock: EntryLock, file: CacheFile, signal: AbortSignal): Promise<void> {
    const tryAcquire = () => tryOrWarn(`cannot lock ${toLockPath(file)}`, () => lock.tryAcquire())
    while ((await tryAcquire()) === false) await sleep(pauseMs, undefined, { signal })
  }
}

/**
 * Whether a process of this user has used an assertion.
 * @param location Its key is a digest of the assertion.
 * @throws {UnsafeCacheError} for a directory in which another user can create files, or the system's error.
 */
export async function isUsedAssertion(location: EntryLocation): Promise<boolean> {
  try {
    await refuseSharedDirectory(location.directory)
    await readLinkStatus(toCacheFilePath(location, 'used'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Only for the holder of the lock. The existence of the file counts; its content tells when it may be removed. */
async function write({ location, kind }: CacheFile, until: number): Promise<void> {
  const file = await open(toCacheFilePath(location, kind), 'wx', 0o600)
  await file.writeFile(JSON.stringify({ expiresAt: until })).finally(() => file.close())
}
