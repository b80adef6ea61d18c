import type { Stats } from 'node:fs'
import { readLinkStatus } from '../disk.ts'
import { findEffectiveUser } from '../host.ts'

/** Another user could have created the cache, or can change it. */
export class UnsafeCacheError extends Error {}

/**
 * Refuses a directory in which another user can create files.
 * @throws {UnsafeCacheError}, or the system's error, for example `ENOENT`.
 */
export async function refuseSharedDirectory(directory: string): Promise<void> {
  const status = await readLinkStatus(directory)
  refuseShared(directory, status)
  if (!status.isDirectory()) throw new UnsafeCacheError(`${directory} is not a directory`)
}

/**
 * Refuses anything but a regular file that only this user can have created and can change.
 * @throws {UnsafeCacheError}
 */
export function refuseSharedFile(path: string, status: Stats): void {
  refuseShared(path, status)
  if (!status.isFile()) throw new UnsafeCacheError(`${path} is not a regular file (run: rm '${path}')`)
}

/** On Windows there are no mode bits, and the access list of the user's profile protects the directory. */
function refuseShared(path: string, status: Stats): void {
  if (status.isSymbolicLink()) throw new UnsafeCacheError(`${path} is a link (run: rm '${path}')`)
  const user = findEffectiveUser()
  if (user === undefined) return
  if (status.uid !== user) throw new UnsafeCacheError(`${path} belongs to another user (see: ls -ld '${path}')`)
  if ((status.mode & 0o022) !== 0)
    throw new UnsafeCacheError(`${path} can be written by other users (run: chmod go-w '${path}')`)
}
