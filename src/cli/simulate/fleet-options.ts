import { type Command, InvalidArgumentError, Option } from 'commander'
import { renewEarlyPercent } from '../../contract/freshness.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { loadFormatNames } from '../../fleet/load-formats.ts'
import { choiceKeys, parseChoice } from '../../fleet/scenario/choice-keys.ts'
import { type Invalid, isInvalid } from '../../fleet/scenario/parse-mapping.ts'
import { HelperError } from '../../runtime/failure.ts'
import { parseCount, toFlag } from '../option-values.ts'
import type { SimulateFlags } from './stage.ts'

/** Adds the options of `gatepass simulate` for a fleet, with a heading of their own. */
export function addFleetOptions(command: Command): void {
  command
    .optionsGroup('The day of a fleet:')
    .option('--fleet <desktops>', 'play so many desktops and their identity provider, under two choices', parseDesktops)
    .option(
      '--ttl <seconds>',
      `the ttlSec of the first choice (default: the document’s, else the scenario’s, else ${clientDefaults.ttlSec})`,
      parseAs('ttlSec'),
    )
    .option(
      '--renew-early <percent>',
      `the renew-early of the first choice (default: the scenario’s, else ${renewEarlyPercent.default}, as of a helper)`,
      parseAs('renewEarly'),
    )
    .option(
      '--against <choice>',
      `the second choice, where it differs from the first: ${Object.keys(choiceKeys).join(', ')}, such as "ttlSec=900 tokenLife=8h"`,
      (text: string) => requireValid(parseChoice(text)),
    )
    .option('--seed <number>', `another number plays another day (default: ${defaultSeed})`, parseCount)
    .addOption(
      new Option('--export <format>', 'print its turns as a scenario for a load engine instead').choices(
        loadFormatNames,
      ),
    )
}

/** The seed of the random numbers if none is given. */
export const defaultSeed = 1

/** More desktops than any organization has, and as many as fit into 2 GiB. */
const maxDesktops = 2_000_000

/** Parses a number of desktops, from 1 to 2 million. @throws {InvalidArgumentError} */
export function parseDesktops(text: string): number {
  const desktops = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (desktops >= 1 && desktops <= maxDesktops) return desktops
  throw new InvalidArgumentError(`expected a whole number from 1 to ${maxDesktops}.`)
}

/**
 * Parses the values that `--against` and scenarios accept for a key.
 * @throws {InvalidArgumentError}
 */
export function parseAs(key: keyof typeof choiceKeys): (text: string) => number {
  return (text) => requireValid(choiceKeys[key].parse(text))
}

function requireValid<Value>(parsed: Value | Invalid): Value {
  if (!isInvalid(parsed)) return parsed
  throw new InvalidArgumentError(`${parsed.problem}.`)
}

/**
 * Refuses options of one client beside those of a fleet, and the reverse.
 * @throws {HelperError} `usage`
 */
export function refuseMixedOptions(flags: SimulateFlags): void {
  const isFleet = flags.fleet !== undefined
  const hasOtherClient = isFleet && flags.client !== 'desktop'
  const named = (isFleet ? clientOptions : fleetOptions).find((name) => flags[name] !== undefined)
  const wrong = hasOtherClient ? 'client' : named
  if (wrong !== undefined)
    throw new HelperError(
      'usage',
      `${toFlag(wrong)} is ${isFleet ? 'for one client, not for a fleet' : 'for a fleet'}`,
      isFleet ? 'remove it, or remove --fleet' : 'pass --fleet with a number of desktops, or remove it',
    )
  if (
    flags.export !== undefined &&
    (flags.json !== undefined || flags.html !== undefined || flags.against !== undefined)
  )
    throw new HelperError(
      'usage',
      '--export prints a load scenario and nothing else',
      'remove --json, --html and --against',
    )
}

/** The options for one client, which do not apply to a fleet. */
const clientOptions = [
  'command',
  'arg',
  'baseUrl',
  'gateway',
  'lookAhead',
  'all',
  'yes',
  'bootstrap',
  'bootstrapHelper',
] as const satisfies readonly (keyof SimulateFlags)[]

const fleetOptions = [
  'ttl',
  'renewEarly',
  'against',
  'seed',
  'export',
] as const satisfies readonly (keyof SimulateFlags)[]
