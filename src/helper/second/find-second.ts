import { HelperError } from '../../runtime/failure.ts'
import { findNearestName } from '../../runtime/names/nearest-name.ts'
import type { UnplannedCall } from '../call/prepare-request.ts'
import type { AnyHelper } from '../define-helper.ts'
import type { OtherHelpers } from '../other-helpers.ts'

/** The helper that gives the second token. */
export interface SecondHelper {
  readonly name: string
  readonly helper: AnyHelper
}

/**
 * Loads the helper that gives the second token.
 * @throws {HelperError} `usage` where none is named, `not-configured` where this program does not hold it.
 */
export async function findSecond({ program, options }: UnplannedCall, others: OtherHelpers): Promise<SecondHelper> {
  const name = options['second-helper']
  if (name === undefined)
    throw new HelperError(
      'usage',
      'second-option is set, and no second-helper that would take it',
      'set second-helper to the name of a helper, or leave out second-option',
    )
  const load = others.get(name)
  if (!load) throw toMissing(program, name, [...others.keys()])
  return { name, helper: await load() }
}

function toMissing(program: string, name: string, names: readonly string[]): HelperError {
  if (names.length === 1)
    return new HelperError(
      'not-configured',
      `second-helper: this program holds ${program} alone, and no other helper that could give a second token`,
      `run ${program} from the executable that holds every helper`,
    )
  const near = findNearestName(name, names)
  return new HelperError(
    'not-configured',
    `second-helper: there is no helper of this name${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    `set it to one of ${names.join(', ')}`,
  )
}
