import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deadline } from '../../runtime/deadline.ts'
import { readLinkStatus } from '../../runtime/disk.ts'
import { type CacheFile, refuseDirectory, toCacheFilePath, toLockPath } from '../cache/directory.ts'
import { type EntryLock, openLock } from '../cache/entry-lock.ts'
import type { TokenStore } from '../cache/store.ts'
import { prepareDirectory } from '../cache/write-entry.ts'
import type { UsedAssertions } from '../define-helper.ts'

/** How often a run looks whether another one is done with a token. */
const pauseMs = 50

/**
 * What was used up, as files beside the kept tokens. Where the directory cannot be used, which the store tells, every
 * token counts as new: that costs a refusal by the platform at most.
 */
export function openUsedAssertions({ place, dare }: TokenStore, deadline: Deadline): UsedAssertions {
  return {
    use: async (id, work) => {
      const file: CacheFile = { place: { ...place, key: id }, kind: 'used' }
      const lock = await deadline.during('opening the token cache', () =>
        dare('cannot use the token cache', async () => {
          await prepareDirectory(place.directory)
          return openLock(toLockPath(file))
        }),
      )
      try {
        if (lock) await deadline.during(`another run of ${place.program}`, ({ signal }) => take(lock, file, signal))
        if (await dare('cannot use the token cache', () => isUsedAssertion(file.place))) return 'used'
        return await work(async (until) => {
          await dare('cannot keep for the next run that the identity token is used up', () => write(file, until))
        })
      } finally {
        lock?.release()
      }
    },
  }

  /** Waits until the lock is ours. The one that a process leaves when it dies can be taken at once. */
  async function take(lock: EntryLock, file: CacheFile, signal: AbortSignal): Promise<void> {
    const attempt = () => dare(`cannot lock ${toLockPath(file)}`, () => lock.attempt())
    while ((await attempt()) === false) await sleep(pauseMs, undefined, { signal })
  }
}

/**
 * Whether a token was used up by any process of this user. `key` is its digest.
 * @throws {CacheRefusal} for a directory that somebody else could have filled, or the system's error.
 */
export async function isUsedAssertion(place: CacheFile['place']): Promise<boolean> {
  try {
    await refuseDirectory(place.directory)
    await readLinkStatus(toCacheFilePath(place, 'used'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Only for whoever has the lock. That the file is there is what counts; its end is for whoever sweeps. */
async function write({ place, kind }: CacheFile, until: number): Promise<void> {
  const file = await open(toCacheFilePath(place, kind), 'wx', 0o600)
  await file.writeFile(JSON.stringify({ expiresAt: until })).finally(() => file.close())
}
