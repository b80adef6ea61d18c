import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readStatus, waitForDirectory } from '../../../runtime/disk.ts'
import { locateToolDirectory } from '../files/aws-files.ts'

/**
 * Reads names, sizes and times of the files that the AWS tools store about sign-ins, in each `~/.aws/NAME/cache`. A new kind of sign-in
 * gets a folder of its own there, and signing out, or in as somebody else, changes one of its files.
 */
export async function readToolState(home: string): Promise<readonly unknown[] | undefined> {
  const root = locateToolDirectory(home)
  const folders = (await listNames(root)).map((name) => join(root, name, 'cache'))
  const files = (
    await Promise.all(folders.map(async (folder) => (await listNames(folder)).map((name) => join(folder, name))))
  ).flat()
  const states = await Promise.all(
    files.map(async (path) => {
      const status = await readStatus(path).catch(() => undefined) // removed since it was listed
      return [path, status?.size, status?.mtimeMs]
    }),
  )
  return states.length === 0 ? undefined : states
}

/** Lists the names in a folder, sorted; empty for a path that is not a folder. The read is recorded for a memo too. */
async function listNames(folder: string): Promise<string[]> {
  await waitForDirectory(folder)
  return (await readdir(folder).catch(() => [])).toSorted()
}
