import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Lists the parts in the table of CONTRIBUTING.md that a helper lacks, in that order, as `PATH: WHAT`. A path that contains the helper's
 * name has to exist. The file at any other path has to name the helper.
 */
export function listMissingParts(tree: string, helper: string): string[] {
  return readParts(tree)
    .map(({ path, what }) => ({ path: path.replace('NAME', helper), what, isOwn: path.includes('NAME') }))
    .filter(({ path, isOwn }) => !(isOwn ? hasFile(tree, path, helper) : hasName(tree, path, helper)))
    .map(({ path, what }) => `${path}: ${what}`)
}

/** Reads the rows of the table in CONTRIBUTING.md. */
function readParts(tree: string): { readonly path: string; readonly what: string }[] {
  const [, section = ''] = readFileSync(join(tree, 'CONTRIBUTING.md'), 'utf8').split(
    '### Everything that a helper needs\n',
  )
  const rows = section.split('\n#')[0]!.matchAll(/^\| `(?<path>[^`]+)` \| (?<what>.+) \|$/gm)
  return [...rows].map(({ groups }) => ({ path: groups!.path!, what: groups!.what! }))
}

function hasFile(tree: string, path: string, helper: string): boolean {
  const isReplaced = path.endsWith('/countable-source.ts') && hasExample(tree, helper)
  return isReplaced || globSync(path, { cwd: tree }).length > 0
}

/** Returns whether the declaration has an example, which is used instead of a source for the tests. */
function hasExample(tree: string, helper: string): boolean {
  const declaration = join(tree, 'helpers', `${helper}.ts`)
  return existsSync(declaration) && /^ {2}example\b/m.test(readFileSync(declaration, 'utf8'))
}

function hasName(tree: string, path: string, helper: string): boolean {
  return toNamePattern([helper]).test(readFileSync(join(tree, path), 'utf8'))
}

/** Matches the names of helpers as whole words. A longer word, such as the header x-api-key, does not name a helper. */
export function toNamePattern(helpers: readonly string[]): RegExp {
  return new RegExp(`(?<![\\w-])(${helpers.join('|')})(?![\\w-])`)
}
