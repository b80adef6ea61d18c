// Reads and writes the files of a store with the failures of a sign-in; `runtime/files/private-files.ts` does the work.

import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Deadline } from '../../../runtime/deadline.ts'
import { readLinkStatus, toReadFailure } from '../../../runtime/disk.ts'
import { findErrorCode, HelperError } from '../../../runtime/failure.ts'
import {
  createPrivateDirectory,
  readCacheFile,
  refuseSharedDirectory,
  UnsafeCacheError,
} from '../../../runtime/files/private-files.ts'
import { toWriteFailure, writeDurably, writeNamesToDisk } from '../../../runtime/files/replace-file.ts'
import { findEffectiveUser } from '../../../runtime/host.ts'
import { quoteWord, renderLookHint } from '../../../runtime/text/quote.ts'

/**
 * Reads a file of a store; `undefined` if it is missing.
 * @throws {HelperError} `not-configured` for one that cannot be read, or that another user could have read or written; `late`.
 */
export async function readStoreFile(
  { directory, path }: { readonly directory: string; readonly path: string },
  deadline: Deadline,
): Promise<string | undefined> {
  try {
    return await deadline.during('file', `reading ${path}`, async () => {
      await refuseSharedDirectory(directory)
      const text = await readCacheFile(path)
      await refuseReadable(path)
      return text
    })
  } catch (error) {
    const code = findErrorCode(error)
    if (code === 'ENOENT') return undefined
    if (error instanceof HelperError || error instanceof UnsafeCacheError || code === undefined)
      throw toStoreFailure(path, error)
    throw toReadFailure(path, error)
  }
}

/**
 * Refuses a file that others can read. It was created for this user alone, but may have been copied or restored since, and anybody with the
 * file and its key could act as this person.
 */
async function refuseReadable(path: string): Promise<void> {
  const { mode } = await readLinkStatus(path)
  if (findEffectiveUser() !== undefined && (mode & 0o044) !== 0)
    throw new UnsafeCacheError(`${path} can be read by other users (run: chmod go-r ${quoteWord(path)})`)
}

/** Creates a directory of a store for this user alone. @throws {HelperError} `not-configured`; `late`. */
export async function createStoreDirectory(directory: string, deadline: Deadline): Promise<void> {
  try {
    await deadline.during('file', `creating ${directory}`, () => createPrivateDirectory(directory, elsewhere))
  } catch (error) {
    throw toStoreFailure(directory, error)
  }
}

const elsewhere = 'no sign-in can be kept there until it can be written'

/** Replaces a file of a store as a whole. @throws {HelperError} `not-configured`; `late`. */
export async function writeStoreFile(
  { path, draft }: { readonly path: string; readonly draft: string },
  text: string,
  deadline: Deadline,
): Promise<void> {
  try {
    await deadline.during('file', `writing ${path}`, () => writeDurably(path, text, draft))
  } catch (error) {
    throw toStoreFailure(path, error)
  }
}

/** Removes files of a store from one directory, in this order. @throws {HelperError} `not-configured`; `late`. */
export async function removeStoreFiles(paths: readonly string[], deadline: Deadline): Promise<void> {
  for (const path of paths) {
    try {
      await deadline.during('file', `removing ${path}`, () => rm(path, { force: true }))
    } catch (error) {
      throw toStoreFailure(path, error)
    }
  }
  await deadline.during('file', `removing ${paths[0]}`, () => writeNamesToDisk(dirname(paths[0] ?? '')))
}

/** Explains a failure of a store's file. Any other error is returned unchanged. */
export function toStoreFailure(path: string, error: unknown): unknown {
  if (!(error instanceof UnsafeCacheError)) return toWriteFailure(path, error)
  return new HelperError('not-configured', error.message, renderLookHint(path), {
    cause: error,
  })
}
