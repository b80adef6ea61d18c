import type { Stats } from 'node:fs'
import { dirname } from 'node:path'
import { readOpenFile, readOpenStatus, readStatus, readWith, safeOpenFlags, toReadFailure } from '../disk.ts'
import { findErrorCode, HelperError } from '../failure.ts'
import { findEffectiveUser } from '../host.ts'
import { Secret } from '../secret.ts'
import { quoteWord } from '../text/quote.ts'
import { hasStickyBit, isOpenToOthers } from '../unsafe-links.ts'

/**
 * Reads a file that only this user can read and that no other user could have created; `undefined` if it is missing.
 * @param readers `group-of-root` permits a file of root that a group can read: systemd and Kubernetes hand credentials to servers in this form.
 * @throws {HelperError} `not-configured` for any other file. Windows has no mode bits; the access list of the folder protects the file there.
 */
export async function readKeyFile(path: string, readers: KeyReaders = 'owner'): Promise<string | undefined> {
  try {
    return await readWith(path, safeOpenFlags, async (file) => {
      const status = await readOpenStatus(file)
      refuseUnsafeFile(path, status, readers)
      await refuseOpenDirectory(dirname(path))
      return readOpenFile(file, status.size)
    })
  } catch (cause) {
    if (cause instanceof HelperError) throw cause
    const code = findErrorCode(cause)
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') throw toFailure(`${path} is a link`, 'name the file itself', cause)
    throw toReadFailure(path, cause)
  }
}

/** Reads the secret of a server from its file; `undefined` if the file is missing or empty. @throws {HelperError} as `readKeyFile` does. */
export async function findServerSecret(path: string): Promise<Secret | undefined> {
  const text = (await readKeyFile(path, 'group-of-root'))?.trim()
  return text ? new Secret(text) : undefined
}

/** The users who may read the file: its owner alone, or with `group-of-root` also the group of a file of root, which root has chosen. */
type KeyReaders = 'owner' | 'group-of-root'

/** Refuses a directory that others can write, because they could replace the file. @throws {HelperError} `not-configured` */
export async function refuseOpenDirectory(directory: string): Promise<void> {
  const status = await readStatus(directory)
  if (findEffectiveUser() === undefined) return
  if (isOpenToOthers(status))
    throw toFailure(
      `${directory} can be written by other users, who could put another key there`,
      // The mode of a directory for everybody, such as /tmp, has to stay.
      hasStickyBit(status)
        ? ownDirectoryHint
        : `keep the key in another directory, or run: chmod go-w ${quoteWord(directory)}`,
    )
  if (!isTrusted(status.uid)) throw toFailure(`${directory} belongs to another user`, ownDirectoryHint)
}

const ownDirectoryHint = 'keep the key in a directory of your own'

function refuseUnsafeFile(path: string, status: Stats, readers: KeyReaders): void {
  const { mode, uid, size } = status
  if (!status.isFile()) throw toFailure(`${path} is not a file`, 'name the file that holds the key')
  if (size > longestKeyFileBytes)
    throw toFailure(`${path} is longer than any key`, 'name the file that holds the key alone')
  if (findEffectiveUser() === undefined) return
  if (!isTrusted(uid)) throw toFailure(`${path} belongs to another user`, `see whose it is: ls -l ${quoteWord(path)}`)
  const allowed: KeyReaders = uid === 0 ? readers : 'owner'
  if ((mode & (allowed === 'owner' ? 0o066 : 0o026)) !== 0)
    throw toFailure(
      `${path} can be ${isOpenToOthers(status) ? 'written' : 'read'} by other users`,
      `${describeClosing(path, uid, allowed)}; if somebody may have read it, have the key replaced`,
    )
}

/** Describes how only its user can read a file. With the mode 600 alone, a file of root would be closed to the user too. */
function describeClosing(path: string, uid: number, readers: KeyReaders): string {
  if (uid === findEffectiveUser()) return `run: chmod 600 ${quoteWord(path)}`
  const [owned, mode] =
    readers === 'owner'
      ? ['make the user who runs this its owner', '600']
      : ['give it a group of the user who runs this', '640']
  return `${owned}, and run: sudo chmod ${mode} ${quoteWord(path)}`
}

/** More bytes than any key has, even a malformed one. */
export const longestKeyFileBytes = 128 * 1024

function isTrusted(uid: number): boolean {
  return uid === 0 || uid === findEffectiveUser()
}

function toFailure(message: string, hint: string, cause?: unknown): HelperError {
  return new HelperError('not-configured', message, hint, { cause })
}
