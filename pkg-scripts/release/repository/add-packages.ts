import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { HelperError } from '../../../src/runtime/failure.ts'

/**
 * Adds every package of a directory to another one, unless it is there already: a version that was published does not change.
 * @param add Puts the first file where the second path says.
 */
export async function addPackages(
  from: string,
  to: string,
  ending: string,
  add: (source: string, target: string) => Promise<void>,
): Promise<void> {
  const found = (await readdir(from)).filter((name) => name.endsWith(ending)).sort()
  if (found.length === 0)
    throw new HelperError('not-configured', `there is no ${ending} in ${from}`, 'run: npm run release')
  await mkdir(to, { recursive: true })
  const present = await readdir(to)
  for (const name of found.filter((file) => !present.includes(file))) await add(join(from, name), join(to, name))
}
