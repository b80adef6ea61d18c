import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname } from 'node:path'
import { noHome } from '../host.ts'
import { createDirectory } from '../writing/create-directory.ts'
import { refuseSharedDirectory, UnsafeCacheError } from './owner.ts'

/**
 * Creates a directory for this user alone.
 * @param elsewhere What to do where it cannot be written, for the end of a message.
 * @throws {UnsafeCacheError} for a directory that is not this user's alone, or that cannot be written.
 */
export async function createPrivateDirectory(directory: string, elsewhere: string): Promise<void> {
  // Refused for root too, who could create it.
  if (directory.startsWith(`${noHome}/`)) throw new UnsafeCacheError('no home directory is known (set HOME to one)')
  try {
    await createDirectory(directory)
  } catch (error) {
    // On a read-only disk the error is ENOENT (seen); the nearest directory that exists tells the reason.
    await refuseReadOnly(dirname(directory), elsewhere)
    throw error
  }
  await refuseSharedDirectory(directory)
  await refuseReadOnly(directory, elsewhere)
}

/** Refuses a directory in which this user cannot create a file; for a missing one the nearest above it counts. */
async function refuseReadOnly(directory: string, elsewhere: string): Promise<void> {
  const code = await access(directory, constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  )
  if (code === 'ENOENT' && dirname(directory) !== directory) return refuseReadOnly(dirname(directory), elsewhere)
  const reason = code === undefined ? undefined : readOnlyCodes[code]
  if (reason !== undefined) throw new UnsafeCacheError(`${directory} ${reason} (${code}); ${elsewhere}`)
}

const readOnlyCodes: Readonly<Record<string, string>> = {
  EROFS: 'is read-only',
  EACCES: 'cannot be written by this user',
  EPERM: 'cannot be written by this user',
}
