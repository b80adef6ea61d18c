import type { ConfigDocument } from '../config/document.ts'
import { findHelper } from '../config/find-helper.ts'
import type { HelperFacts, OperatingSystem } from '../config/rule.ts'
import { parseArguments } from '../helper/arguments.ts'
import { type OptionFile, optionFilePaths, readOptionFile } from '../helper/option-files.ts'
import { commonOptions, type OptionTable } from '../helper/option-table.ts'
import type { Value } from '../helper/option-value.ts'
import { resolveOptions } from '../helper/resolve-options.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Cli } from './cli.ts'

/** What a helper's settings are read from: with the document alone, files and variables of this machine say nothing. */
export type SettledBy = 'this machine' | 'the document alone'

/** What the suite knows of the helper that a document names. */
export async function findHelperFacts(
  { host, helpers }: Cli,
  document: ConfigDocument | undefined,
  os: OperatingSystem,
  settledBy: SettledBy,
): Promise<ReadonlyMap<string, HelperFacts>> {
  const credential = document?.inference?.credential
  const found = credential?.kind === 'helper-script' && findHelper(credential, os, (name) => helpers.has(name))
  const helper = found && helpers.get(found.name)
  if (!found || !helper) return new Map()
  const { name, args } = found
  const life = helper.longestLifeSec === undefined ? {} : { tokenLifeSec: helper.longestLifeSec }
  const table = { ...commonOptions, ...helper.options }
  const given = readArguments(name, table, args)
  if ('argumentProblem' in given) return new Map([[name, { ...life, ...given }]])
  const files = settledBy === 'this machine' ? await readFiles(host, name, table) : { user: nothing, machine: nothing }
  const env = settledBy === 'this machine' ? host.env : {}
  const options = resolveOptions(name, table, { arguments: given.values, env, ...files })
  const seconds = (option: string) => Number(options.get(option)?.value)
  const believes = { clientTtlSec: seconds('client-ttl'), clientTimeoutSec: seconds('client-timeout') }
  return new Map([[name, { ...life, ...believes }]])
}

function readArguments(
  name: string,
  table: OptionTable,
  args: readonly string[],
): { values: ReadonlyMap<string, Value> } | { argumentProblem: string } {
  try {
    return { values: parseArguments(name, table, args) }
  } catch (error) {
    if (error instanceof HelperError) return { argumentProblem: error.message }
    throw error
  }
}

const nothing: OptionFile = { path: '', values: new Map(), locked: new Set() }

async function readFiles(host: Cli['host'], name: string, table: OptionTable) {
  const paths = optionFilePaths(host, name)
  const { platform } = host
  const user = await readOptionFile({ path: paths.user, kind: 'user', platform }, table)
  return { user, machine: await readOptionFile({ path: paths.machine, kind: 'machine', platform }, table) }
}
