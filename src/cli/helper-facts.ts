import { type FoundHelper, findHelper } from '../config/check/find-helper.ts'
import type { HelperFacts, OperatingSystem } from '../config/check/rule.ts'
import type { ConfigDocument } from '../config/document.ts'
import { parseArguments } from '../helper/options/arguments.ts'
import { type OptionFile, optionFilePaths, readOptionFile } from '../helper/options/files.ts'
import { type OptionLocations, resolveOptions } from '../helper/options/resolve.ts'
import { commonOptions, type OptionTable } from '../helper/options/table.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Host } from '../runtime/host.ts'
import type { Cli } from './cli.ts'

/** What a helper's settings are read from: with the document alone, files and variables of this machine say nothing. */
export type ResolvedFrom = 'this machine' | 'the document alone'

/** What the suite knows of the helper that a document names. */
export async function findHelperFacts(
  { host, helpers }: Cli,
  document: ConfigDocument | undefined,
  os: OperatingSystem,
  settledBy: ResolvedFrom,
): Promise<ReadonlyMap<string, HelperFacts>> {
  const credential = document?.inference?.credential
  const found = credential?.kind === 'helper-script' && findHelper(credential, os, (name) => helpers.has(name))
  const helper = found && helpers.get(found.name)
  if (!found || !helper) return new Map()
  const life = helper.longestLifeSec === undefined ? {} : { tokenLifeSec: helper.longestLifeSec }
  const table = { ...commonOptions, ...helper.options }
  const places = settledBy === 'this machine' ? () => readOptionLocations(host, found.name, table) : () => nowhere
  return new Map([[found.name, { ...life, ...(await settle(found, table, places)) }]])
}

type Places = Omit<OptionLocations, 'arguments'>

/** What the helper would believe of the client, or what keeps it from running. */
async function settle(
  { name, args }: FoundHelper,
  table: OptionTable,
  places: () => Places | Promise<Places>,
): Promise<HelperFacts> {
  const given = await orFailure(() => parseArguments(name, table, args))
  if (given instanceof HelperError) return { argumentProblem: given.message }
  const options = await orFailure(async () => resolveOptions(name, table, { arguments: given, ...(await places()) }))
  if (options instanceof HelperError) return { settingsProblem: options }
  const seconds = (option: string) => Number(options.get(option)?.value)
  return { clientTtlSec: seconds('client-ttl'), clientTimeoutSec: seconds('client-timeout') }
}

/** What the helper itself would report and end with, as a value. */
async function orFailure<T>(work: () => T | Promise<T>): Promise<T | HelperError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HelperError) return error
    throw error
  }
}

const nothing: OptionFile = { path: '', values: new Map(), locked: new Set() }
const nowhere: Places = { env: {}, user: nothing, machine: nothing }

/** The user's and the machine's file of a helper, beside the environment. */
export async function readOptionLocations(host: Host, name: string, table: OptionTable): Promise<Places> {
  const { env, platform } = host
  const paths = optionFilePaths(host, name)
  const user = await readOptionFile({ path: paths.user, kind: 'user', platform }, table)
  return { env, user, machine: await readOptionFile({ path: paths.machine, kind: 'machine', platform }, table) }
}
