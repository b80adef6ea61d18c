import { lstat, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Deadline } from '../../../runtime/deadline.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { changeUnderLock } from '../../../runtime/private/change-under-lock.ts'
import { createCacheDirectory } from '../../../runtime/private/create-cache.ts'
import { openLock } from '../../../runtime/private/file-lock.ts'
import { digestFingerprint } from '../../../runtime/private/fingerprint.ts'
import { locateCacheDirectory } from '../../../runtime/private/locate-cache.ts'
import { UnsafeCacheError } from '../../../runtime/private/owner.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { createDirectory } from '../../../runtime/writing/create-directory.ts'
import { toWriteFailure, writeDurably } from '../../../runtime/writing/replace-file.ts'
import { parseStoredKey } from '../key/stored-key.ts'
import { refuseOpenDirectory } from './read-key-file.ts'

/** Whose locks are used, and how long they may be waited for. */
interface ChangeParts {
  readonly host: Pick<Host, 'env' | 'home' | 'platform'>
  readonly deadline: Deadline
}

/**
 * Changes the file of a key while no other process does. The lock lies in the user's cache, so that nothing stays beside the key.
 * @throws {HelperError} `not-configured`; `late`
 */
export async function changeKeyFile<T>(
  path: string,
  { host, deadline }: ChangeParts,
  change: () => Promise<T>,
): Promise<T> {
  const directory = locateCacheDirectory(host)
  const lock = join(directory, `key-file-${digestFingerprint(path)}.lock`)
  const make = async () => ({ result: await deadline.during('file', `writing ${path}`, change) })
  try {
    const open = async () => openLock(await createCacheDirectory(directory).then(() => lock))
    const otherRun = `another run that changes ${path}`
    const changed = await changeUnderLock({ path: lock, open }, deadline, {
      ...{ otherRun, whenBusy: 'wait', make },
      find: async () => undefined,
    })
    if (!changed) throw new Error('without a result nothing was waited for')
    return changed.result
  } catch (error) {
    if (error instanceof UnsafeCacheError)
      throw new HelperError('not-configured', error.message, `no key is stored before ${directory} is as it says`)
    throw toWriteFailure(path, error)
  }
}

/** Writes the text beside its target and renames it; only for the holder of the lock. @throws {HelperError}, or the system's error. */
export async function writeKeyFile(path: string, text: Secret): Promise<void> {
  await createDirectory(dirname(path))
  await refuseOpenDirectory(dirname(path))
  await refuseOtherFile(path)
  await writeDurably(path, `${text.reveal()}\n`, draftOf(path))
}

/** Removes the file, with the draft of a run that was killed. @returns whether there was one. */
export async function removeKeyFile(path: string): Promise<boolean> {
  const wasThere = (await refuseOtherFile(path)) === 'a key'
  await rm(draftOf(path), { force: true })
  await rm(path, { force: true })
  return wasThere
}

/** A name that nobody else gives a file: what lies there is removed. */
function draftOf(path: string): string {
  return `${path}.gatepass-draft`
}

/** More than any key has, even a malformed one. */
const mostBytes = 128 * 1024

/** Refuses to replace or to remove what was never a key, such as a file whose name was mistyped. */
async function refuseOtherFile(path: string): Promise<'a key' | 'nothing'> {
  const status = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw error
  })
  if (!status) return 'nothing'
  if (status.isSymbolicLink()) throw refuse(`${path} is a link`, 'name the file itself')
  if (status.isFile() && status.size <= mostBytes && isKeyText(await readFile(path, 'utf8'))) return 'a key'
  throw refuse(`${path} is there, and holds no key`, 'name another file, or move this one away')
}

/** One word may be a malformed key, with what people copy along before it. A sentence is none, nor the public key of SSH. */
function isKeyText(text: string): boolean {
  const bare = text.replace(/^\uFEFF/, '').trim()
  return /^(?:export\s+|[\w-]+:\s+)?(?:bearer\s+)?\S*$/i.test(bare) || !('problem' in parseStoredKey(text))
}

function refuse(message: string, hint: string): HelperError {
  return new HelperError('not-configured', message, hint)
}
