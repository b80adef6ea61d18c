import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The project's root, wherever a script is started from. */
export const root = join(import.meta.dirname, '..')

/** Where bundles are built. */
export const bundleDirectory = join(root, 'dist', 'bundle')

/** Names of all helpers: the folder is the list. */
export function helperNames(tree: string = root): string[] {
  return readdirSync(join(tree, 'helpers'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
}

/** A program's bundle, which a plain Node runs. */
export function bundlePath(name: string): string {
  return join(bundleDirectory, `${name}.cjs`)
}
