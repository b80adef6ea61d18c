// Folder: directories, files and locks that a program creates, most of them for this user alone.

import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { readLinkStatus, readOpenFile, readOpenStatus, readWith, safeOpenFlags } from '../disk.ts'
import { findEffectiveUser, type Host, macosSupport, noHome } from '../host.ts'
import { describeLook, describeRemoval, ownSystem, quoteWord } from '../text/quote.ts'
import { isOpenToOthers } from '../unsafe-links.ts'

/** The beginning of the message that a token is not stored in the cache, or not read from it. */
export const cacheProblem = 'cannot use the token cache'

/** The error of a cache that another user could have created or can change. */
export class UnsafeCacheError extends Error {}

/**
 * Refuses a directory in which another user can create files.
 * @throws {UnsafeCacheError}, or the system's error, for example `ENOENT`.
 */
export async function refuseSharedDirectory(directory: string): Promise<void> {
  const status = await readLinkStatus(directory)
  refuseShared(directory, status, 'directory')
  if (!status.isDirectory()) throw new UnsafeCacheError(`${directory} is not a directory`)
}

/**
 * Refuses everything except a regular file that only this user can have created and can change.
 * @throws {UnsafeCacheError}
 */
export function refuseSharedFile(path: string, status: Stats): void {
  refuseShared(path, status, 'file')
  if (!status.isFile())
    throw new UnsafeCacheError(`${path} is not a regular file (run: ${describeRemoval(path, 'file', ownSystem)})`)
}

/**
 * Refuses a file or directory of another user, or with permissions for others. Windows has no mode bits; there the access list of the
 * user's profile protects the directory.
 */
function refuseShared(path: string, status: Stats, place: 'file' | 'directory'): void {
  if (status.isSymbolicLink())
    throw new UnsafeCacheError(`${path} is a link (run: ${describeRemoval(path, place, ownSystem)})`)
  const user = findEffectiveUser()
  if (user === undefined) return
  if (status.uid !== user)
    throw new UnsafeCacheError(`${path} belongs to another user (see: ${describeLook(path, ownSystem)})`)
  if (isOpenToOthers(status)) throw new UnsafeCacheError(describeOpenPath(path))
}

/**
 * Reads a file of the cache, never through a link, and never waiting for the other end of a pipe.
 * @throws {UnsafeCacheError}, or the system's error.
 */
export async function readCacheFile(path: string): Promise<string> {
  try {
    return await readWith(path, safeOpenFlags, async (file) => {
      const status = await readOpenStatus(file)
      refuseSharedFile(path, status)
      return readOpenFile(file, status.size)
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      throw new UnsafeCacheError(`${path} is a link (run: ${describeRemoval(path, 'file', ownSystem)})`)
    throw error
  }
}

/**
 * Replaces a file by a new one, which only this user can read unless its mode permits more. It is written beside its target and renamed, so
 * that a concurrent reader sees the old content or the new one. The caller must hold a lock, so an existing draft is the leftover of a
 * killed process.
 * @throws the system's error, for example `ENOSPC`; the draft is removed first.
 */
export async function writeByDraft(
  { path, draft, mode = 0o600 }: ReplacedFile,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  try {
    await rm(draft, { force: true })
    const file = await open(draft, 'wx', mode)
    await write(file).finally(() => file.close())
    await rename(draft, path)
  } catch (error) {
    // The first error is the one to report; the next writer removes the draft.
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

/** A file, and the name under which it is written. */
interface ReplacedFile {
  readonly path: string
  readonly draft: string
  readonly mode?: number | undefined
}

/**
 * Creates the cache's directory for this user alone, and returns its path.
 * @throws {UnsafeCacheError} for a directory that is not this user's alone, or that cannot be written.
 */
export async function createCacheDirectory(directory: string): Promise<string> {
  await createPrivateDirectory(directory, elsewhere)
  return directory
}

const elsewhere =
  'every call gets a new token until it can be written, or XDG_CACHE_HOME (on Linux) names a directory that can'

/**
 * Creates a directory for this user alone.
 * @param elsewhere What to do if it cannot be written, for the end of a message.
 * @throws {UnsafeCacheError} for a directory that is not this user's alone, or that cannot be written.
 */
export async function createPrivateDirectory(directory: string, elsewhere: string): Promise<void> {
  // Refused for root too, although root could create it.
  if (directory.startsWith(`${noHome}/`)) throw new UnsafeCacheError('no home directory is known (set HOME to one)')
  try {
    await createDirectory(directory)
  } catch (error) {
    // On a read-only disk the error is ENOENT (seen), and only the nearest existing directory shows the reason.
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

const unwritable = 'cannot be written by this user'

const readOnlyCodes: Readonly<Record<string, string>> = {
  EROFS: 'is read-only',
  EACCES: unwritable,
  EPERM: unwritable,
}

/** Locates the user's directory of cached tokens, at the platform's place for files that can be created again. */
export function locateCacheDirectory(host: Pick<Host, 'env' | 'home' | 'platform'>): string {
  const own = locateOwnDirectory(host, 'cache')
  return host.platform === 'win32' ? join(own, 'Cache') : own
}

/**
 * Locates this program's own directory among the user's files of one kind. On Linux a relative path in the variable is ignored (XDG Base
 * Directory Specification).
 */
export function locateOwnDirectory(
  { env, home, platform }: Pick<Host, 'env' | 'home' | 'platform'>,
  kind: keyof typeof userDirectories,
): string {
  const { windows, macos, variable, linux } = userDirectories[kind]
  if (platform === 'win32') return join(locateAppData({ env, home }, windows), 'Gatepass')
  if (platform === 'darwin') return join(home, macos, 'Gatepass')
  const named = env[variable] ?? ''
  return join(isAbsolute(named) ? named : join(home, linux), 'gatepass')
}

/** The directories of a user for the files of programs, by what is lost with them. Those of state and data belong to one machine. */
export const userDirectories = {
  cache: { windows: 'Local', macos: 'Library/Caches', variable: 'XDG_CACHE_HOME', linux: '.cache' },
  settings: { windows: 'Roaming', macos: macosSupport, variable: 'XDG_CONFIG_HOME', linux: '.config' },
  state: { windows: 'Local', macos: macosSupport, variable: 'XDG_STATE_HOME', linux: '.local/state' },
  data: { windows: 'Local', macos: macosSupport, variable: 'XDG_DATA_HOME', linux: '.local/share' },
} as const

/** Locates the directory of a Windows user for files that stay on this machine, or that follow the user to other ones. */
export function locateAppData({ env, home }: Pick<Host, 'env' | 'home'>, kind: 'Local' | 'Roaming'): string {
  return (kind === 'Local' ? env.LOCALAPPDATA : env.APPDATA) || join(home, 'AppData', kind)
}

/**
 * Creates a directory and those above it, for this user alone unless another mode is given. Node's recursive `mkdir` is not used, because it never returns if a
 * directory exists and reports its children as missing, as those under `/proc` do (seen).
 * @throws the system's error, but none if anything exists at the path.
 */
export async function createDirectory(path: string, mode = 0o700): Promise<void> {
  if (await createOne(path, mode)) return
  await createDirectory(dirname(path), mode)
  if (!(await createOne(path, mode))) throw Object.assign(new Error('no directory'), { code: 'ENOENT', path })
}

/** Creates one directory. @returns whether it exists now; otherwise the directory above it may be missing. */
async function createOne(path: string, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return true
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    return false
  }
}

/** Describes a path that other users may write, with the command that corrects it. */
export function describeOpenPath(path: string): string {
  return `${path} can be written by other users (run: chmod go-w ${quoteWord(path)})`
}
