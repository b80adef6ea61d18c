// Reads one file of a release folder, checks its signature or digest, and makes the errors about it.

import { hash } from 'node:crypto'
import { join } from 'node:path'
import {
  attemptUnlessMissing,
  readLinkStatus,
  readOpenBytes,
  readOpenStatus,
  readWith,
  safeOpenFlags,
} from '../runtime/disk.ts'
import { type FailureKind, HelperError, renderErrorCode } from '../runtime/failure.ts'
import { releaseFiles } from './release.ts'
import { type PublicKey, parseSigned } from './signed-line.ts'

/**
 * Reads one file of a release folder. It follows no link, and never waits for a writer of a named pipe.
 * @throws {ReleaseError}
 */
export async function readReleaseFile(directory: string, name: string, longestBytes: number): Promise<Uint8Array> {
  const [folder, file] = name.includes('/') ? name.split('/') : [undefined, name]
  try {
    const path = join(folder === undefined ? directory : await locateFolder(directory, folder), file!)
    // On Windows, `open` has no flag against following links.
    if ((await readLinkStatus(path)).isSymbolicLink()) throw toLinkError(name)
    return await readWith(path, safeOpenFlags, async (opened) => {
      const status = await readOpenStatus(opened)
      if (!status.isFile()) throw toLinkError(name)
      if (status.size > longestBytes) throw toLengthError(name, longestBytes)
      return readOpenBytes(opened, status.size)
    })
  } catch (cause) {
    if (cause instanceof ReleaseError) throw cause
    throw toReadError(directory, name, cause as NodeJS.ErrnoException)
  }
}

/**
 * Returns the value of a signed file.
 * @throws {ReleaseError} unless one of the keys signed exactly these bytes.
 */
export function requireSigned(bytes: Uint8Array, keys: readonly PublicKey[], name: string): unknown {
  const signed = parseSigned(bytes, keys)
  if (!('problem' in signed)) return signed.value
  const { problem } = signed
  throw new ReleaseError(problem, `${name} ${signatureProblems[problem].message}`, signatureProblems[problem].hint)
}

const signatureProblems = {
  'not-signed': {
    message: 'is not a signed file of a release',
    hint: 'copy the file from where the folder is whole: nothing is published over it',
  },
  'unknown-key': {
    message: 'is signed with another key',
    hint: 'name the public key of whoever publishes this folder; a file may hold several',
  },
  'bad-signature': {
    message: 'was changed after it was signed',
    hint: 'find out who can write the folder, and copy the file from where the folder is whole: nothing is published over it',
  },
} as const

/**
 * Refuses a file whose content does not have the digest that is its name.
 * @throws {ReleaseError}
 */
export function refuseOtherContent(bytes: Uint8Array, digest: string, name: string): void {
  if (digestFile(bytes) === digest) return
  throw new ReleaseError(
    'other-content',
    `${name} has content that does not match its name`,
    'copy the folder again; if it stays so, find out who can write it',
  )
}

/** Computes the SHA-256 of a file's bytes, in hexadecimal. */
export function digestFile(bytes: Uint8Array | string): string {
  return hash('sha256', bytes)
}

/** Thrown for a release that must not be served. Nothing of it is kept. */
export class ReleaseError extends HelperError {
  readonly code: ReleaseProblem

  constructor(code: ReleaseProblem, message: string, hint: string, options?: ErrorOptions) {
    const kind: FailureKind = code === 'missing' || code === 'unreadable' ? 'unavailable' : 'refused'
    super(kind, message, hint, options)
    this.name = 'ReleaseError'
    this.code = code
  }
}

/** Converts the system's error about one file or folder of a release folder. */
export function toReadError(directory: string, name: string, cause: NodeJS.ErrnoException): ReleaseError {
  if (cause.code === 'ELOOP') return toLinkError(name)
  if (cause.code === 'ENOENT' && name === releaseFiles.pointer)
    return new ReleaseError(
      'missing',
      `there is no release in ${directory}: it has no ${name}`,
      'name the folder that a release was published to; if it is being copied, that file comes last',
      { cause },
    )
  if (cause.code === 'ENOENT')
    return new ReleaseError(
      'missing',
      `the release in ${directory} is not whole: it has no ${name}`,
      `copy the folder again, with ${releaseFiles.pointer} after everything else`,
      { cause },
    )
  return new ReleaseError(
    'unreadable',
    `${join(directory, name)} cannot be read (${renderErrorCode(cause)})`,
    'make the whole folder readable for the user who runs this',
    { cause },
  )
}

/** Creates the error about a file that has a valid signature or digest, but a format that this program cannot read. */
export function toFormatError(name: string): ReleaseError {
  return new ReleaseError(
    'bad-format',
    `${name} has a form that this program does not know`,
    'update this program to the release that published the folder, or a later one',
  )
}

/** Creates the error about a file that is longer than its limit. */
export function toLengthError(name: string, longestBytes: number): ReleaseError {
  const longest = longestBytes < 1024 * 1024 ? `${longestBytes / 1024} KiB` : `${longestBytes / 1024 / 1024} MiB`
  return new ReleaseError('too-large', `${name} is longer than ${longest}`, 'publish the release again with less in it')
}

/** Why a release cannot be used. `missing` and `unreadable` may be temporary while a folder is being copied. */
type ReleaseProblem =
  | 'missing'
  | 'unreadable'
  | 'link'
  | 'too-large'
  | 'not-signed'
  | 'unknown-key'
  | 'bad-signature'
  | 'bad-format'
  | 'other-content'
  | 'rolled-back'

/**
 * Locates the folder of a kind of files. Without it, the files are in the release folder itself, like the keys of a ConfigMap.
 * @throws {ReleaseError} for a link.
 */
async function locateFolder(directory: string, folder: string): Promise<string> {
  const path = join(directory, folder)
  const status = await attemptUnlessMissing(readLinkStatus(path))
  if (status && !status.isDirectory()) throw toLinkError(folder)
  return status ? path : directory
}

function toLinkError(name: string): ReleaseError {
  return new ReleaseError(
    'link',
    `${name} is a link, or not a file or directory as it has to be`,
    'copy the files themselves: nothing in a release folder may be a link',
  )
}
