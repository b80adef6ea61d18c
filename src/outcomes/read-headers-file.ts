import type { Stats } from 'node:fs'
import { isHeaderName, isPrintable } from '../contract/headers.ts'
import { readOpenFile, readOpenStatus, readWith, safeOpenFlags, toReadFailure } from '../runtime/disk.ts'
import { findErrorCode, HelperError } from '../runtime/failure.ts'
import { findEffectiveUser } from '../runtime/host.ts'
import { Secret, type SecretHeader } from '../runtime/secret.ts'
import { quoteWord } from '../runtime/text/quote.ts'

/**
 * Reads a file of `Name: value` lines, and skips empty ones.
 * @param setting The setting with the path, for hints.
 * @throws {HelperError} `not-configured` for a file that is missing, that other users may read or change, that is a link or not a regular
 * file, or that holds anything else. No message repeats its text.
 */
export async function readHeadersFile(path: string, setting = 'otlp-headers-file'): Promise<SecretHeader[]> {
  const text = await readPrivately(path, setting)
  const lines = text.split(/\r?\n/)
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : [parseLine(line, index + 1, path)]))
}

async function readPrivately(path: string, setting: string): Promise<string> {
  try {
    return await readWith(path, safeOpenFlags, async (file) => {
      const status = await readOpenStatus(file)
      refuseUnsafe(path, status, setting)
      return readOpenFile(file, status.size)
    })
  } catch (error) {
    if (error instanceof HelperError) throw error
    const code = findErrorCode(error)
    if (code === 'ELOOP')
      throw new HelperError('not-configured', `${path} is a link`, `name the file itself in ${setting}`)
    throw toReadFailure(path, error, `correct ${setting}`)
  }
}

/**
 * Refuses a file that other users may read or change. On Windows an access list protects it. The administrator's own file may be readable
 * by a group with this user.
 */
function refuseUnsafe(path: string, status: Stats, setting: string): void {
  // A pipe would be read like a file without headers.
  if (!status.isFile())
    throw new HelperError('not-configured', `${path} is not a regular file`, `name a file in ${setting}`)
  const user = findEffectiveUser()
  if (user === undefined) return
  const { uid, mode } = status
  if (uid !== user && uid !== 0)
    throw new HelperError(
      'not-configured',
      `${path} belongs to another user`,
      `name a file of this user or of root in ${setting}`,
    )
  const [forbidden, best] = uid === 0 ? [0o037, '640'] : [0o077, '600']
  if ((mode & forbidden) === 0) return
  const who = uid === user ? '' : 'have an administrator '
  throw new HelperError(
    'not-configured',
    `the headers in ${path} can be read or changed by others`,
    `${who}run: chmod ${best} ${quoteWord(path)}`,
  )
}

function parseLine(line: string, number: number, path: string): SecretHeader {
  const colon = line.indexOf(':')
  const [name, value] = [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()]
  if (!isHeaderName(name) || value === '' || !isPrintable(value))
    throw new HelperError(
      'not-configured',
      `line ${number} of ${path} is not a header that can be sent`,
      "write each header as 'Name: value'",
    )
  return [name, new Secret(value)]
}
