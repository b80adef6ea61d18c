import { type FoundHelper, findHelper } from '../config/check/find-helper.ts'
import type { HelperFacts, OperatingSystem } from '../config/check/rule.ts'
import type { ConfigDocument } from '../config/document.ts'
import { keyServices } from '../contract/aws-keys.ts'
import { parseArguments } from '../helper/options/arguments.ts'
import { readOptions } from '../helper/options/read-options.ts'
import { type ResolvedOptions, resolveOptions } from '../helper/options/resolve.ts'
import { commonOptions, type OptionTable } from '../helper/options/table.ts'
import type { OptionValue } from '../helper/options/value.ts'
import { HelperError } from '../runtime/failure.ts'
import type { Cli } from './cli.ts'
import { findHelperProvider } from './helper-provider.ts'

/** What a helper's settings are read from; `the document alone` ignores the files and variables of this machine. */
export type ResolvedFrom = 'this machine' | 'the document alone'

/** What the suite knows of the helper that a document names, by its name; empty for another program. */
export async function findHelperFacts(
  { host, helpers }: Cli,
  document: ConfigDocument | undefined,
  os: OperatingSystem | undefined,
  from: ResolvedFrom,
): Promise<ReadonlyMap<string, HelperFacts>> {
  const credential = document?.inference?.credential
  const found = credential?.kind === 'helper-script' && findHelper(credential, os, (name) => helpers.has(name))
  const helper = found && helpers.get(found.name)
  if (!found || !helper) return new Map()
  const { longestLifeSec, longestTtlSec } = helper
  const life = {
    ...(longestLifeSec !== undefined && { tokenLifeSec: longestLifeSec }),
    ...(longestTtlSec !== undefined && { longestTtlSec }),
  }
  const resolve = (table: OptionTable, given: ReadonlyMap<string, OptionValue>) =>
    from === 'this machine'
      ? readOptions(host, found.name, table, given)
      : resolveOptions(found.name, table, { arguments: given })
  return new Map([
    [found.name, { ...life, ...(await readFacts(found, { ...commonOptions, ...helper.options }, resolve)) }],
  ])
}

type Resolve = (
  table: OptionTable,
  given: ReadonlyMap<string, OptionValue>,
) => ResolvedOptions | Promise<ResolvedOptions>

/** What the helper assumes about the client, or what keeps it from running. */
async function readFacts({ name, args }: FoundHelper, table: OptionTable, resolve: Resolve): Promise<HelperFacts> {
  const given = await orFailure(() => parseArguments(name, table, args))
  if (given instanceof HelperError) return { argumentProblem: given.message }
  const options = await orFailure(async () => resolve(table, given))
  if (options instanceof HelperError) return { settingsProblem: options }
  const seconds = (option: string) => Number(options.get(option)?.value)
  const times = { clientTtlSec: seconds('client-ttl'), clientTimeoutSec: seconds('client-timeout') }
  const provider = findHelperProvider(options)
  return { ...times, ...findKeyFacts(options), ...(provider && { provider }) }
}

/** What a helper that makes keys for services of AWS makes them for. */
function findKeyFacts(options: ResolvedOptions): Pick<HelperFacts, 'keyService' | 'region'> {
  const [service, region] = [options.get('service'), options.get('region')?.value]
  if (!keyServices.some(({ name }) => name === service?.value)) return {}
  const keyService = { name: String(service?.value), isSet: service?.origin !== 'default' }
  return { keyService, ...(region !== undefined && { region: String(region) }) }
}

/** The failure with which the helper itself would end, as a value. */
async function orFailure<T>(work: () => T | Promise<T>): Promise<T | HelperError> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof HelperError) return error
    throw error
  }
}
