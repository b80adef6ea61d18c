import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { HelperError } from '../../../src/runtime/failure.ts'

/**
 * Adds every package of a directory to another one, unless it is there already.
 * @throws HelperError where another package is there under the same name: a version that was published does not change, because
 * a desktop that has it would never get the other one.
 */
export async function addPackages(from: string, to: string, kind: PackageKind): Promise<void> {
  const found = (await readdir(from)).filter((name) => name.endsWith(kind.ending)).sort()
  if (found.length === 0)
    throw new HelperError('not-configured', `there is no ${kind.ending} in ${from}`, 'run: npm run release')
  await mkdir(to, { recursive: true })
  const present = await readdir(to)
  for (const name of found) {
    const [source, target] = [join(from, name), join(to, name)]
    if (!present.includes(name)) await kind.add(source, target)
    else if ((await kind.digest(source)) !== (await kind.digest(target)))
      throw new HelperError(
        'not-configured',
        `${name} was published with other content`,
        'raise the version in package.json, and run: npm run release',
      )
  }
}

/** The steps by which packages of one kind are added. */
interface PackageKind {
  readonly ending: string
  /** Writes the package `source` to the path `target`. */
  add(source: string, target: string): Promise<void>
  /** Computes a digest of the package's content, which adding the package does not change. */
  digest(path: string): Promise<string>
}
