import type { Stats } from 'node:fs'
import { access, constants, lstat, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findErrorCode } from '../../runtime/failure.ts'
import { findEffectiveUser } from '../../runtime/host.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { hasStickyBit, isOpenToOthers, openToOthers } from '../../runtime/unsafe-links.ts'
import type { PolicyProblem } from './policy-finding.ts'

/**
 * Finds a way in which another user could change the file, and so decide who passes: the file itself, a link to it, or a directory in which
 * it could be replaced. `undefined` if there is none, and on Windows, which has no mode bits.
 * @param status The status of the open file.
 * @throws The system's error.
 */
export async function checkWriters(path: string, status: Stats): Promise<PolicyProblem | undefined> {
  const user = findEffectiveUser()
  if (user === undefined) return undefined
  return (
    validateMode(path, status, user) ??
    validateOwner(path, await lstat(path), user) ??
    (await checkDirectory(dirname(path), user)) ??
    (await checkDirectory(dirname(await realpath(path)), user))
  )
}

function validateMode(path: string, status: Stats, user: number): PolicyProblem | undefined {
  if (!isOpenToOthers(status)) return validateOwner(path, status, user)
  return {
    code: 'file-mode',
    message: `${path} ${openToOthers}`,
    hint: `run: ${status.uid === user ? '' : toSudo(user)}chmod go-w ${quoteWord(path)}`,
  }
}

function validateOwner(path: string, { uid }: Stats, user: number): PolicyProblem | undefined {
  if (uid === 0 || uid === user) return undefined
  return {
    code: 'file-owner',
    message: `${path} belongs to another user, who can write it`,
    hint: `run: ${toSudo(user)}chown root ${quoteWord(path)}`,
  }
}

/** Returns the beginning of a command that needs root. Containers of a verifier that runs as root have no `sudo`. */
function toSudo(user: number): string {
  return user === 0 ? '' : 'sudo '
}

async function checkDirectory(directory: string, user: number): Promise<PolicyProblem | undefined> {
  const status = await stat(directory)
  const isShared = isOpenToOthers(status) && !hasStickyBit(status)
  const problem = isShared ? validateMode(directory, status, user) : validateOwner(directory, status, user)
  return problem && !(await isReadOnly(directory)) ? problem : undefined
}

/** In Kubernetes, everybody may write to the directory of a ConfigMap by its mode, but the directory is mounted read-only. */
async function isReadOnly(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.W_OK)
    return false
  } catch (cause) {
    return findErrorCode(cause) === 'EROFS'
  }
}
