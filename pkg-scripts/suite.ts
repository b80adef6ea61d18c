import { linkSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { type BuildFrom, bundle } from './bundle.ts'
import { buildExecutable, type Executable } from './executable.ts'
import { helperNames, root } from './helpers.ts'
import type { Form } from './pack.ts'
import { cliProgram, helperProgram, type Program, suiteProgram } from './programs.ts'
import { hostTarget } from './runtimes.ts'

/** What is installed on a machine of one target. */
export interface Suite {
  readonly target: string
  readonly directory: string
  /** The executable with every helper. */
  readonly helpers: string
  /** What of it is not in its snapshot, with the reason. */
  readonly leftOut: readonly string[]
  /** Its names, one for each helper. */
  readonly links: readonly string[]
  /** The administrator's command. */
  readonly cli: string
}

/** Builds both executables of a target, and a hard link under each helper's name. */
export async function buildSuite(target: string, from: BuildFrom = {}, parent = join(root, 'dist')): Promise<Suite> {
  const directory = join(parent, target)
  mkdirSync(directory, { recursive: true })
  const helpers = await buildProgram(target, suiteProgram(from.tree), formOn(target), from, directory)
  // An administrator's command is not waited for at every turn, and needs what a snapshot cannot hold.
  const cli = await buildProgram(target, cliProgram(from.tree), 'file', from, directory)
  const links = helperNames(from.tree).map((name) => join(directory, name + extname(helpers.path)))
  for (const link of links) linkOver(helpers.path, link)
  return { target, directory, helpers: helpers.path, leftOut: helpers.leftOut, links, cli: cli.path }
}

/** Builds the executable of one helper alone. */
export async function buildSeparate(
  target: string,
  name: string,
  from: BuildFrom = {},
  parent = join(root, 'dist'),
): Promise<Executable> {
  if (!helperNames(from.tree).includes(name))
    throw new Error(`there is no helper ${name}: choose ${helperNames(from.tree).join(', ')}`)
  return buildProgram(target, helperProgram(name), formOn(target), from, join(parent, 'separate', target))
}

/** A snapshot can only be built by the runtime that it is for. */
function formOn(target: string): Form {
  return target === hostTarget ? 'snapshot' : 'file'
}

async function buildProgram(
  target: string,
  program: Program,
  form: Form,
  from: BuildFrom,
  directory: string,
): Promise<Executable> {
  const { code } = await bundle(program, form, from)
  return buildExecutable(target, { code, form }, join(directory, program.name))
}

/** By rename, so that the name is never missing, and an older file under it is let go. */
function linkOver(existing: string, link: string): void {
  const draft = join(dirname(link), `.${process.pid}.link`)
  linkSync(existing, draft)
  renameSync(draft, link)
}
