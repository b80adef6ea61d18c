import { readOpenFile, readOpenStatus, readWith, safeOpenFlags } from '../../disk.ts'
import { HelperError } from '../../failure.ts'
import { findEffectiveUser } from '../../host.ts'
import { Secret } from '../../secret.ts'

/** A header whose value may be a secret. */
export type SecretHeader = readonly [name: string, value: Secret]

/**
 * Reads a file of `Name: value` lines; empty ones are skipped.
 * @throws {HelperError} `not-configured` for a file that is missing, that other users may read or change, or that holds anything
 * else. No message repeats its text.
 */
export async function readHeadersFile(path: string): Promise<SecretHeader[]> {
  const text = await readPrivately(path)
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return lines.map((line, index) => parseLine(line, index + 1, path))
}

async function readPrivately(path: string): Promise<string> {
  try {
    return await readWith(path, safeOpenFlags, async (file) => {
      const { uid, mode, size } = await readOpenStatus(file)
      if (!isPrivate(uid, mode))
        throw new HelperError(
          'not-configured',
          `the headers in ${path} can be read or changed by others`,
          `run: chmod 600 '${path}'`,
        )
      return readOpenFile(file, size)
    })
  } catch (error) {
    if (error instanceof HelperError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new HelperError('not-configured', `cannot read ${path} (${code})`, 'correct otlp-headers-file')
  }
}

/** The administrator's own file may be readable by a group, which the user is in. On Windows an access list protects it. */
function isPrivate(uid: number, mode: number): boolean {
  const user = findEffectiveUser()
  if (user === undefined) return true
  return uid === user ? (mode & 0o077) === 0 : uid === 0 && (mode & 0o037) === 0
}

function parseLine(line: string, number: number, path: string): SecretHeader {
  const colon = line.indexOf(':')
  const [name, value] = [line.slice(0, Math.max(colon, 0)).trim(), line.slice(colon + 1).trim()]
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\x20-\x7e]+$/.test(value))
    throw new HelperError(
      'not-configured',
      `line ${number} of ${path} is no header that can be sent`,
      "write each header as 'Name: value'",
    )
  return [name, new Secret(value)]
}
