import { HelperError } from '../../runtime/failure.ts'
import { findNearestName } from '../../runtime/names/nearest-name.ts'
import type { UnplannedCall } from '../call/prepare-request.ts'
import type { AnyHelper } from '../define-helper.ts'
import type { CommonOptions } from '../options/table.ts'
import type { OtherHelpers } from '../other-helpers.ts'

/** The helper that gives the second token. */
export interface SecondHelper {
  readonly name: string
  readonly helper: AnyHelper
}

/** The helper that runs a program for its token, by the first word of its name, and its option for the program's words. */
export const commandFamily = 'command'

/**
 * Loads the helper that gives the second token.
 * @throws {HelperError} `usage` where none or more than one is named, `not-configured` where this program does not hold it.
 */
export async function findSecond({ program, options }: UnplannedCall, others: OtherHelpers): Promise<SecondHelper> {
  const name = nameSecond(options, others)
  const load = others.get(name)
  if (!load) throw toMissing(program, name, [...others.keys()])
  return { name, helper: await load() }
}

function nameSecond(
  { 'second-helper': helper, 'second-command': command }: CommonOptions,
  others: OtherHelpers,
): string {
  if (command.length > 0 && helper !== undefined)
    throw new HelperError('usage', 'both second-helper and second-command are set', 'leave out one of them')
  if (command.length > 0)
    return [...others.keys()].find((name) => name.startsWith(`${commandFamily}-`)) ?? 'a helper that runs programs'
  if (helper !== undefined) return helper
  throw new HelperError(
    'usage',
    'second-option is set, and no second-helper that would take it',
    'set second-helper to the name of a helper, or leave out second-option',
  )
}

function toMissing(program: string, name: string, names: readonly string[]): HelperError {
  if (names.length === 1)
    return new HelperError(
      'not-configured',
      `this program holds ${program} alone, and a second token needs ${name} beside it`,
      `run ${program} from the executable that holds every helper`,
    )
  const near = findNearestName(name, names)
  return new HelperError(
    'not-configured',
    `second-helper: there is no helper of this name${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    `set it to one of ${names.join(', ')}`,
  )
}
