import { existsSync, linkSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { HelperError } from '../../src/runtime/failure.ts'
import { type BuildFrom, bundle } from '../bundle/bundle.ts'
import { type BundledProgram, createCliProgram, createHelperProgram, createSuiteProgram } from '../bundle/programs.ts'
import { readVendor } from '../read-vendor.ts'
import { listHelpers, root } from '../tree.ts'
import { buildExecutable } from './build-executable.ts'
import { isWindows } from './runtimes.ts'

/** The files that are installed on a machine of one target. */
export interface Suite {
  readonly target: string
  readonly directory: string
  /** The executable with every helper. */
  readonly helpers: string
  /** Its names, one for each helper. */
  readonly links: readonly string[]
  /** The administrator's command. */
  readonly cli: string
}

/** Builds both executables of a target, and a hard link under each helper's name. */
export async function buildSuite(target: string, from: BuildFrom, parent = join(root, 'dist')): Promise<Suite> {
  const directory = join(parent, target)
  mkdirSync(directory, { recursive: true })
  const helpers = await buildProgram(target, createSuiteProgram(from.tree), from, directory)
  const cli = await buildProgram(target, createCliProgram(from.tree), from, directory)
  const links = listHelpers(from.tree).map((name) => join(directory, name + extname(helpers)))
  for (const link of links) writeLink(helpers, link)
  return { target, directory, helpers, links, cli }
}

/**
 * Returns both executables of a target that another machine has built or signed, in a folder of the target's name.
 * @throws HelperError if one is missing.
 */
export function requireBuiltSuite(target: string, { tree }: BuildFrom, parent: string): Suite {
  const directory = join(parent, target)
  const toPath = (name: string) => join(directory, isWindows(target) ? `${name}.exe` : name)
  const [helpers, cli] = [createSuiteProgram(tree), createCliProgram(tree)].map(({ name }) => toPath(name)) as [
    string,
    string,
  ]
  const missing = [helpers, cli].find((path) => !existsSync(path))
  if (missing !== undefined)
    throw new HelperError(
      'not-configured',
      `there is no file ${missing}`,
      `build it there: npm run build -- --target ${target}, or remove --target`,
    )
  return { target, directory, helpers, links: listHelpers(tree).map(toPath), cli }
}

/** Builds the executable of one helper alone, in a folder of its target below the parent. */
export async function buildSeparate(target: string, name: string, from: BuildFrom, parent: string): Promise<string> {
  if (!listHelpers(from.tree).includes(name))
    throw new Error(`there is no helper ${name}: choose ${listHelpers(from.tree).join(', ')}`)
  return buildProgram(target, createHelperProgram(name), from, join(parent, 'separate', target))
}

async function buildProgram(
  target: string,
  program: BundledProgram,
  from: BuildFrom,
  directory: string,
): Promise<string> {
  const { packed } = await bundle(program, from)
  const { name, summary, isWaitedFor: isCompiledAhead } = program
  const vendor = readVendor(from.vendorFile)
  return buildExecutable(target, packed, { path: join(directory, name), summary, vendor, isCompiledAhead })
}

/** Replaces the link by a rename, so that its name always exists. An older file of the name is released. */
function writeLink(existing: string, link: string): void {
  const draft = join(dirname(link), `.${process.pid}.link`)
  linkSync(existing, draft)
  renameSync(draft, link)
}
