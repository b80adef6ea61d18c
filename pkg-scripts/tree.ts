import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The project's root directory. */
export const root = join(import.meta.dirname, '..')

/** The directory that bundles are built in. */
export const bundleDirectory = join(root, 'dist', 'bundle')

/** The names of all helpers, one per file of the folder `helpers`. */
export function helperNames(tree: string = root): string[] {
  return readdirSync(join(tree, 'helpers'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
}

/** The path of a program's bundle, which a plain Node runs. */
export function bundlePath(name: string): string {
  return join(bundleDirectory, `${name}.cjs`)
}
