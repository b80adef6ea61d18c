import { dirname } from 'node:path'
import { readStatus } from '../disk.ts'
import { HelperError } from '../failure.ts'
import { refuseUnsafeLinks } from './unsafe-links.ts'

/**
 * Refuses a file that others can write, because it decides which token is printed. Its directory is looked at too: who can write
 * that can replace the file. Windows has neither modes nor numbers of users.
 * @param owner Who has to own both: root, and then also what a link leads through; or root or this user.
 * @throws {HelperError} `not-configured`, or the system's error.
 */
export async function refuseUnsafeFile(path: string, owner: 'root' | number | undefined): Promise<void> {
  for (const checked of [path, dirname(path)]) {
    const { mode, uid } = await readStatus(checked)
    if ((mode & 0o022) !== 0)
      throw new HelperError(
        'not-configured',
        `${checked} can be written by other users`,
        `run: chmod go-w '${checked}'`,
      )
    if (owner === 'root' && uid !== 0)
      throw new HelperError('not-configured', `${checked} does not belong to root`, `run: sudo chown root '${checked}'`)
    if (uid !== 0 && uid !== owner)
      throw new HelperError(
        'not-configured',
        `${checked} belongs to another user`,
        `look at it with: ls -ld '${checked}'`,
      )
  }
  if (owner === 'root') await refuseUnsafeLinks(path)
}
