import { posix, win32 } from 'node:path'
import { formatFacts, isOfAwsKeys } from '../../contract/output-format.ts'
import { HelperError, type Problem, requireHelperError, validateReading } from '../../runtime/failure.ts'
import type { HeaderTemplate } from '../../runtime/tokens/header-facts.ts'
import { chooseHeaders, hasSecond } from '../choose-headers.ts'
import type { AnyHelper, OtherHelpers } from '../define-helper.ts'
import { parseName } from '../formats/named-hosts.ts'
import { requireKeys } from '../formats/prepare-aws-keys.ts'
import { requireArguments } from '../options/arguments.ts'
import { type CommonOptions, commonOptions } from '../options/every-helper-options.ts'
import type { OptionValue } from '../options/option-value.ts'
import { type ResolvedOptions, resolveOptions, toValues } from '../options/resolve-options.ts'
import { refuseCommand, refuseUnknownCommand } from './commands.ts'
import {
  describeSecond,
  listSecondArguments,
  refuseOptionsOfCall,
  refuseUnfitTemplates,
  requireSecond,
} from './prepare-second.ts'

/** A helper, and the machine for which its options are validated. */
export interface ValidatedHelper {
  readonly program: string
  readonly helper: AnyHelper
  /** The helpers in the suite, one of which may give a second token. */
  readonly others: OtherHelpers
  /** The system that the helper runs on. */
  readonly platform: NodeJS.Platform
}

/**
 * Lists the problems that options have on every machine, by the helper's own declaration. An unset option is not a problem, because a
 * machine's files may set it. Only a run can find problems that depend on the network, a provider or another program.
 */
export async function validateOptions(validated: ValidatedHelper, resolved: ResolvedOptions): Promise<Problem[]> {
  const { program, helper, platform } = validated
  const options = toValues<CommonOptions>(resolved)
  const templates: HeaderTemplate[] = []
  const headers = validateReading(() => templates.push(...chooseHeaders(program, options, helper.facts).templates))
  return [
    ...headers,
    ...validateReading(() => refuseFormat(validated, options)),
    ...(headers.length === 0 && hasSecond(options) ? await validateSecond(validated, options, templates) : []),
    ...((await helper.validate?.(options, { program, platform })) ?? []),
  ]
}

/** Validates the arguments as on a machine without option files. */
export async function validateArguments(validated: ValidatedHelper, args: readonly string[]): Promise<Problem[]> {
  const given = await requireGiven(validated, args).catch(requireHelperError)
  if (given instanceof HelperError) return [given]
  return validateOptions(validated, addDefaults(validated, given))
}

/** Parses the arguments of a client, which has no use for a command. @throws {HelperError} `usage` */
export async function requireGiven(
  { program, helper, platform }: Omit<ValidatedHelper, 'others'>,
  args: readonly string[],
): Promise<ReadonlyMap<string, OptionValue>> {
  const table = { ...commonOptions, ...helper.options }
  refuseCommand(helper, table, args)
  refuseUnknownCommand(program, helper, args)
  return requireArguments(program, table, args, platform === 'win32' ? win32 : posix)
}

function addDefaults({ program, helper }: ValidatedHelper, given: ReadonlyMap<string, OptionValue>): ResolvedOptions {
  return resolveOptions(program, { ...commonOptions, ...helper.options }, { arguments: given })
}

/** Refuses a format that the helper cannot print, and values of `for-host` that are not hosts. */
function refuseFormat({ program, helper }: ValidatedHelper, options: CommonOptions): void {
  if (isOfAwsKeys(options.format)) requireKeys({ program, helper }, options)
  if (formatFacts[options.format].actions) options['for-host'].forEach(parseName)
}

async function validateSecond(
  validated: ValidatedHelper,
  options: CommonOptions,
  templates: readonly HeaderTemplate[],
): Promise<Problem[]> {
  const { program, others } = validated
  const second = await requireSecond(program, options, others).catch(requireHelperError)
  if (second instanceof HelperError) return [second]
  const unfit = validateReading(() => refuseUnfitTemplates(templates, program, second))
  if (unfit.length > 0) return unfit
  const own = { ...validated, program: second.name, helper: second.helper }
  const args = listSecondArguments(options)
  const given = await requireGiven(own, args).catch(requireHelperError)
  const problems = given instanceof HelperError ? [given] : validateReading(() => refuseOptionsOfCall(given))
  const all = problems.length > 0 ? problems : await validateArguments(own, args)
  return all.map(({ kind, message, hint }) => ({ kind, message: `${describeSecond(second.name)}: ${message}`, hint }))
}
