import { chmod, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { attemptUnlessMissing, readLinkStatus } from '../../runtime/disk.ts'
import { findErrorCode, HelperError, renderErrorCode } from '../../runtime/failure.ts'
import { openLock } from '../../runtime/files/file-lock.ts'
import { readCacheFile, refuseSharedDirectory, UnsafeCacheError } from '../../runtime/files/private-files.ts'
import { toWriteFailure, writeDurably } from '../../runtime/files/replace-file.ts'
import { findEffectiveUser } from '../../runtime/host.ts'
import { describeRemoval, ownSystem } from '../../runtime/text/quote.ts'
import { hasStickyBit, isOpenToOthers } from '../../runtime/unsafe-links.ts'
import { isObject, parseJson } from '../../runtime/values/json-value.ts'

/** The highest serial of a served pointer. It outlives the process, so that an older release stays refused after a restart. */
export interface ServedSerial {
  /** 0 before any release was served. */
  highest(): number
  /** Saves the serial of a served pointer. Never fails: the next call tries again to write it. */
  keep(serial: number): Promise<void>
  /** Whether the file contains {@link highest}. */
  isWritten(): boolean
  close(): Promise<void>
}

/** Creates the serial of a server without a file, which keeps it only in its process. */
export function createServedSerial(): ServedSerial {
  let highest = 0
  return {
    highest: () => highest,
    async keep(serial) {
      highest = Math.max(highest, serial)
    },
    isWritten: () => true,
    async close() {},
  }
}

/**
 * Opens the file, which only one server at a time may use. A missing file is created, so that a server that cannot write it does not start;
 * so is its directory, if no other user could replace it.
 * @param tellTrouble Receives why the file cannot be written, once for each series of equal causes.
 * @throws {HelperError} `not-configured` for a file that cannot be used; `refused` while another server uses it.
 */
export async function openServedSerial(path: string, tellTrouble: (cause: string) => void): Promise<ServedSerial> {
  const lock = await attemptFor(path, async () => {
    await prepareDirectory(dirname(path))
    await refuseSharedDirectory(dirname(path))
    for (const file of [path, `${path}.lock`]) await removeGroupAccess(file)
    return openLock(`${path}.lock`)
  })
  try {
    if (!(await attemptFor(path, () => lock.tryAcquire())))
      throw new HelperError('refused', `another server uses ${path}`, 'give each server a file of its own with --state')
    const found = await attemptFor(path, () => readSerial(path))
    if (found === undefined) await attemptFor(path, () => writeSerial(path, 0))
    return { ...createKeptSerial(path, found ?? 0, tellTrouble), close: () => lock.release() }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/**
 * Creates the directory if it is missing. Its parent may be the root of a volume, which belongs to root and to which Kubernetes gives the
 * pod's group write access (`fsGroup`).
 * @throws {UnsafeCacheError} if another user could replace the directory.
 */
async function prepareDirectory(directory: string): Promise<void> {
  if (await attemptUnlessMissing(readLinkStatus(directory))) return removeGroupAccess(directory)
  const above = dirname(directory)
  const status = await readLinkStatus(above)
  const { uid, gid, mode } = status
  const user = findEffectiveUser()
  if (user !== undefined && uid !== user && uid !== 0)
    throw new UnsafeCacheError(`${above} belongs to another user, who could replace ${directory}`)
  if (
    user !== undefined &&
    !hasStickyBit(status) &&
    (isOwnGroup(gid, user) ? (mode & 0o002) !== 0 : isOpenToOthers(status))
  )
    throw new UnsafeCacheError(`other users can write ${above}, and could replace ${directory}`)
  await mkdir(directory, { mode: 0o700 })
}

/**
 * Removes the group access that Kubernetes grants at the start of each pod: with `fsGroup`, it makes everything in a volume writable for
 * the pod's group, unless `fsGroupChangePolicy` forbids it. Only a group of this user alone is concerned.
 */
async function removeGroupAccess(path: string): Promise<void> {
  const status = await attemptUnlessMissing(readLinkStatus(path))
  const user = findEffectiveUser()
  if (!status || user === undefined || status.uid !== user || !isOwnGroup(status.gid, user)) return
  if ((status.mode & 0o022) !== 0o020 || !(status.isFile() || status.isDirectory())) return
  await chmod(path, status.isDirectory() ? 0o700 : 0o600)
}

/** Returns whether the group is the user's own, by the numbers that `useradd`, systemd's `DynamicUser`, our image and OpenShift assign. */
function isOwnGroup(gid: number, user: number): boolean {
  return gid === user && user !== 0
}

async function writeSerial(path: string, serial: number): Promise<void> {
  await writeDurably(path, `${JSON.stringify({ format: 1, serial })}\n`, `${path}.new`)
}

/**
 * Runs work on the file.
 * @throws {HelperError} `not-configured` instead of the system's error.
 */
async function attemptFor<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnsafeCacheError)
      throw new HelperError(
        'not-configured',
        `the state cannot be kept safely: ${error.message}`,
        'name a file with --state in a directory that belongs to the user who runs this, and that nobody else can write',
      )
    if (findErrorCode(error) !== 'ENOENT') throw toWriteFailure(path, error)
    const hint = `create the directory ${dirname(dirname(path))}, in which the server creates its own`
    throw new HelperError('not-configured', `cannot write ${path} (ENOENT)`, hint, { cause: error })
  }
}

async function readSerial(path: string): Promise<number | undefined> {
  const text = await attemptUnlessMissing(readCacheFile(path))
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (isObject(value) && value.format === 1 && Number.isSafeInteger(value.serial) && Number(value.serial) >= 0)
    return Number(value.serial)
  throw new HelperError(
    'not-configured',
    `${path} is not a file that this server has written`,
    `correct --state; or, to accept any release that is signed, remove it: ${describeRemoval(path, 'file', ownSystem)}`,
  )
}

function createKeptSerial(
  path: string,
  found: number,
  tellTrouble: (cause: string) => void,
): Omit<ServedSerial, 'close'> {
  let [highest, written] = [found, found]
  let trouble: string | undefined
  return {
    highest: () => highest,
    async keep(serial) {
      highest = Math.max(highest, serial)
      if (highest === written) return
      try {
        await writeSerial(path, highest)
        written = highest
        trouble = undefined
      } catch (error) {
        const code = renderErrorCode(error)
        if (trouble !== code) tellTrouble(`${path} cannot be written (${code})`)
        trouble = code
      }
    },
    isWritten: () => highest === written,
  }
}
