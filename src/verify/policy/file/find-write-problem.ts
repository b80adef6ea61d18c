import type { Stats } from 'node:fs'
import { access, constants, lstat, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findEffectiveUser } from '../../../runtime/host.ts'
import type { PolicyProblem } from '../finding.ts'

/**
 * How somebody else could write the file, and so decide who passes: the file itself, a link to it, or a directory in which it could be
 * replaced. `undefined` where nobody can, and on Windows, which has no mode bits.
 * @param status Of the file, once it is open.
 * @throws The system's error.
 */
export async function findWriteProblem(path: string, status: Stats): Promise<PolicyProblem | undefined> {
  const user = findEffectiveUser()
  if (user === undefined) return undefined
  return (
    findFileProblem(path, status, user) ??
    findOwnerProblem(path, await lstat(path), user) ??
    (await findDirectoryProblem(dirname(path), user)) ??
    (await findDirectoryProblem(dirname(await realpath(path)), user))
  )
}

function findFileProblem(path: string, status: Stats, user: number): PolicyProblem | undefined {
  if ((status.mode & 0o022) === 0) return findOwnerProblem(path, status, user)
  return { code: 'file-mode', message: `${path} can be written by other users`, hint: `run: chmod go-w '${path}'` }
}

function findOwnerProblem(path: string, { uid }: Stats, user: number): PolicyProblem | undefined {
  if (uid === 0 || uid === user) return undefined
  return {
    code: 'file-owner',
    message: `${path} belongs to another user, who can write it`,
    hint: `run as root: chown root '${path}'`,
  }
}

/** In a directory with the sticky bit, such as `/tmp`, nobody can replace the files of others. */
async function findDirectoryProblem(directory: string, user: number): Promise<PolicyProblem | undefined> {
  const status = await stat(directory)
  const isShared = (status.mode & 0o022) !== 0 && (status.mode & 0o1000) === 0
  const problem = isShared ? findFileProblem(directory, status, user) : findOwnerProblem(directory, status, user)
  return problem && !(await isReadOnly(directory)) ? problem : undefined
}

/** The directory of a ConfigMap in Kubernetes is writable for everybody by its mode, and mounted so that nobody can write it. */
async function isReadOnly(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.W_OK)
    return false
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EROFS'
  }
}
