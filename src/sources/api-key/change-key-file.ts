import { lstat, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Deadline } from '../../runtime/deadline.ts'
import { attemptUnlessMissing } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { changeUnderLock } from '../../runtime/files/change-under-lock.ts'
import { openLock } from '../../runtime/files/file-lock.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import {
  createCacheDirectory,
  createDirectory,
  locateCacheDirectory,
  UnsafeCacheError,
} from '../../runtime/files/private-files.ts'
import { longestKeyFileBytes, refuseOpenDirectory } from '../../runtime/files/read-key-file.ts'
import { toWriteFailure, writeDurably } from '../../runtime/files/replace-file.ts'
import type { Host } from '../../runtime/host.ts'
import type { Secret } from '../../runtime/secret.ts'
import { parseStoredKey } from './stored-key.ts'

/**
 * Changes a key file under a lock. The lock file is in the user's cache, so nothing remains beside the key.
 * @throws {HelperError} `not-configured`; `late`
 */
export async function changeKeyFile<T>(
  path: string,
  { host, deadline }: { readonly host: Pick<Host, 'env' | 'home' | 'platform'>; readonly deadline: Deadline },
  change: () => Promise<T>,
): Promise<T> {
  const directory = locateCacheDirectory(host)
  const lock = join(directory, `key-file-${digestFingerprint(path)}.lock`)
  const make = async () => ({ result: await deadline.during('file', `writing ${path}`, change) })
  try {
    const open = async () => openLock(await createCacheDirectory(directory).then(() => lock))
    const otherRun = `another run that changes ${path}`
    const changed = await changeUnderLock({ path: lock, open }, deadline, {
      otherRun,
      whenBusy: 'wait',
      make,
      find: async () => undefined,
    })
    if (!changed) throw new Error('without a lock there is no result')
    return changed.result
  } catch (error) {
    if (error instanceof UnsafeCacheError)
      throw new HelperError(
        'not-configured',
        error.message,
        `correct ${directory} as the message says, and store the key again`,
      )
    throw toWriteFailure(path, error)
  }
}

/** Writes the text beside its target and renames it. The caller must hold the lock. @throws {HelperError}, or the system's error. */
export async function writeKeyFile(path: string, text: Secret): Promise<void> {
  await createDirectory(dirname(path))
  await refuseOpenDirectory(dirname(path))
  await refuseOtherFile(path)
  await writeDurably(path, `${text.reveal()}\n`, toDraftPath(path))
}

/** Removes the file, and the draft of a run that was killed. @returns whether there was a key. */
export async function removeKeyFile(path: string): Promise<boolean> {
  await refuseOtherFile(path)
  await rm(toDraftPath(path), { force: true })
  return (await attemptUnlessMissing(rm(path).then(() => true))) ?? false
}

/** Derives the path of the draft. No other program uses this name, so an existing draft may be removed. */
function toDraftPath(path: string): string {
  return `${path}.gatepass-draft`
}

/** Refuses to replace or remove a file that is not a key file, for example because its name was mistyped. */
async function refuseOtherFile(path: string): Promise<void> {
  const status = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!status) return
  if (status.isSymbolicLink()) throw new HelperError('not-configured', `${path} is a link`, 'name the file itself')
  if (status.isFile() && status.size <= longestKeyFileBytes && isKeyText(await readFile(path, 'utf8'))) return
  throw new HelperError(
    'not-configured',
    `${path} exists, but does not hold a key`,
    'name another file, or move this one away',
  )
}

/** Returns whether a text may be a key, even with a prefix that was copied along, and not a sentence or an SSH public key. */
function isKeyText(text: string): boolean {
  const bare = text.trim()
  return /^(?:export\s+|[\w-]+:\s+)?(?:bearer\s+)?\S*$/i.test(bare) || !('problem' in parseStoredKey(text))
}
