import { open, rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../../runtime/deadline.ts'
import { attemptUnlessMissing, readLinkStatus } from '../../runtime/disk.ts'
import { closeLock, type FileLock, openLock } from '../../runtime/files/file-lock.ts'
import { cacheProblem, createCacheDirectory, refuseSharedDirectory } from '../../runtime/files/private-files.ts'
import { type CacheFile, type EntryLocation, nameCacheStep, toCacheFilePath, toLockPath } from '../cache/cache-files.ts'
import type { TokenStore } from '../cache/store.ts'
import type { UsedAssertions } from '../define-helper.ts'

/**
 * Records used assertions as files beside the cached tokens. The file exists before an assertion is sent, and is renamed after its use, so
 * that a full disk cannot lose the record. If the directory cannot be used, which the store reports, every assertion counts as new, and at
 * worst the platform refuses it.
 */
export function createUsedAssertions({ location, tryOrWarn }: TokenStore, deadline: Deadline): UsedAssertions {
  return {
    use: async ({ id, until }, work) => {
      const own = { ...location, key: id }
      const lock = await openInTime({ location: own, kind: 'used' })
      try {
        if (await tryOrWarn(cacheProblem, () => isUsedAssertion(own))) return 'used'
        const sentBefore = await tryOrWarn(cacheProblem, () => findTime(own, 'sent'))
        if (sentBefore === undefined) await record(() => recordSending(own, until))
        const { result, state } = await work(sentBefore)
        if (state === 'used') await record(() => recordUse(own, until))
        else if (state === 'unused' && sentBefore === undefined) await removeSending(own)
        return result
      } finally {
        if (lock) await closeLock(lock, toLockPath({ location: own, kind: 'used' }), deadline.whole)
      }
    },
  }

  /** Opens the lock and waits for it. The lock of a process that dies becomes free. */
  async function openInTime(file: CacheFile): Promise<FileLock | undefined> {
    const lock = await deadline.during('cache', nameCacheStep('opening', location), () =>
      tryOrWarn(cacheProblem, async () => {
        await createCacheDirectory(location.directory)
        return openLock(toLockPath(file))
      }),
    )
    const tryAcquire = () => tryOrWarn(`cannot lock ${toLockPath(file)}`, () => lock?.tryAcquire())
    await deadline.during('lock', `another run of ${location.program}`, async ({ signal }) => {
      while ((await tryAcquire()) === false) await sleep(pauseMs, undefined, { signal })
    })
    return lock
  }

  function record(work: () => Promise<void>): Promise<void> {
    const problem = 'cannot record for the next run that the identity token was used'
    return deadline.whole.during('cache', nameCacheStep('writing', location), async () => {
      await tryOrWarn(problem, work)
    })
  }
}

/** In milliseconds: the interval at which a run tries to acquire the lock of an assertion. */
const pauseMs = 50

/**
 * Returns whether a process of this user has used an assertion.
 * @param location Its key is a digest of the assertion.
 * @throws {UnsafeCacheError} for a directory in which another user can create files, or the system's error.
 */
export async function isUsedAssertion(location: EntryLocation): Promise<boolean> {
  return (await findTime(location, 'used')) !== undefined
}

async function findTime(location: EntryLocation, kind: 'used' | 'sent'): Promise<number | undefined> {
  const path = toCacheFilePath(location, kind)
  const reading = refuseSharedDirectory(location.directory).then(() => readLinkStatus(path))
  return (await attemptUnlessMissing(reading))?.mtimeMs
}

/**
 * Records that an assertion is about to be sent. The caller must hold the lock. Only the file's existence matters; its content says when it
 * may be removed.
 */
async function recordSending(location: EntryLocation, until: number): Promise<void> {
  const path = toCacheFilePath(location, 'sent')
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(JSON.stringify({ expiresAt: until }))
  } catch {
    // If the disk is full, the file is empty and is removed later.
  } finally {
    await file.close()
  }
}

async function recordUse(location: EntryLocation, until: number): Promise<void> {
  try {
    await rename(toCacheFilePath(location, 'sent'), toCacheFilePath(location, 'used'))
  } catch {
    // The disk was full when the assertion was sent, and may have room now.
    await recordSending(location, until)
    await rename(toCacheFilePath(location, 'sent'), toCacheFilePath(location, 'used'))
  }
}

/** Removes the record of sending. A leftover record only lengthens the message of a later refusal. */
async function removeSending(location: EntryLocation): Promise<void> {
  await rm(toCacheFilePath(location, 'sent'), { force: true }).catch(() => undefined)
}
