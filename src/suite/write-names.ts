import { link, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { HelperError } from '../runtime/failure.ts'
import { suiteName } from './suite-name.ts'

/**
 * Makes every helper's name beside the executable a hard link to it, in place of what is there. Each is linked beside its name
 * and renamed, so that none is ever missing.
 * @throws HelperError that tells which names could not be replaced, when the others have been.
 */
export async function writeNames(executable: string, helpers: readonly string[]): Promise<void> {
  const extension = extname(executable).toLowerCase() === '.exe' ? '.exe' : ''
  if (basename(executable).toLowerCase() !== suiteName + extension)
    throw new HelperError('usage', `this executable is not called ${suiteName}`, 'rename it, and run it again')
  const failed: string[] = []
  for (const name of helpers.map((helper) => helper + extension))
    await writeName(executable, join(dirname(executable), name)).catch(() => failed.push(name))
  if (failed.length > 0)
    throw new HelperError(
      'not-configured',
      `cannot replace ${failed.join(', ')} in ${dirname(executable)}`,
      'end the programs that run under these names, and run it again as an administrator',
    )
}

async function writeName(executable: string, path: string): Promise<void> {
  // Renaming a link to the file that it stands for does nothing, and leaves the link.
  if (await isSameFile(executable, path)) return
  const draft = `${path}.new`
  try {
    await rm(draft, { force: true })
    await link(executable, draft)
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined)
    throw error
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  )
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev
}
