// Folder: the tree and its commit, and the shared parts of all scripts.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AnyHelper } from '../src/helper/define-helper.ts'
import { suiteName } from '../src/suite/installed-programs.ts'
import { programName } from '../src/version.ts'

/** The project's root directory. */
export const root = join(import.meta.dirname, '..')

/** The directory that bundles are built in. */
export const bundleDirectory = join(root, 'dist', 'bundle')

/** The programs that are packed, each with an archive and an installer of its own. */
export const packedPrograms = [suiteName, programName] as const

/** Lists the names of all helpers, one per file of the folder `helpers`. */
export function listHelpers(tree: string = root): string[] {
  return readdirSync(join(tree, 'helpers'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort()
}

/** Imports a helper's declaration, from source. */
export async function importHelper(name: string): Promise<AnyHelper> {
  const { default: helper }: { default: AnyHelper } = await import(join(root, 'helpers', `${name}.ts`))
  return helper
}

/** Returns the path of a program's bundle, which a plain Node runs. */
export function toBundlePath(name: string): string {
  return join(bundleDirectory, `${name}.cjs`)
}
