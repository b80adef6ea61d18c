import type { OperatingSystem } from '../../../config/check/rule.ts'
import type { AnyHelper } from '../../../helper/define-helper.ts'
import {
  hasValueOf,
  isNeeded,
  listMissing,
  type OptionRow,
  type OptionTable,
} from '../../../helper/options/option-table.ts'
import type { OptionValue } from '../../../helper/options/option-value.ts'
import { requireGiven, type ValidatedHelper, validateArguments } from '../../../helper/run/validate-options.ts'
import { HelperError, renderHint, renderWarning, toOneLine } from '../../../runtime/failure.ts'
import { programName } from '../../../version.ts'
import { toValidated } from '../../check-with-helper.ts'
import { toArguments } from './flags.ts'
import { type Interview, resolveAnswer } from './question.ts'

/**
 * Asks for the options that the helper requires and no argument sets. An option without an answer must be in the files of each machine; a
 * warning lists the required ones.
 */
export async function askOptions(
  interview: Interview,
  { name, helper, given, os }: OptionInterview,
): Promise<string[]> {
  const validated = toValidated(interview.cli, { name, helper }, os)
  const args: string[] = []
  let values = await collectGiven(validated, given)
  for (const [option, row] of Object.entries<OptionRow>(helper.options)) {
    if (values.has(option) || !(isNeeded(row, values) || hasValueOf(row.asked, values))) continue
    const answer = await askOption(interview, { validated, option, row, said: [...given, ...args] })
    if (answer !== '') args.push(...toAnswerArguments(option, row, answer))
    values = await collectGiven(validated, [...given, ...args])
  }
  tellMissing(interview, name, helper.options, values)
  return args
}

interface OptionInterview {
  readonly name: string
  readonly helper: AnyHelper
  /** The arguments on the command line. */
  readonly given: readonly string[]
  /** The system whose path rules apply. */
  readonly os: OperatingSystem
}

/** The check of the whole document reports wrong arguments. */
async function collectGiven(
  validated: ValidatedHelper,
  args: readonly string[],
): Promise<ReadonlyMap<string, OptionValue>> {
  try {
    return await requireGiven(validated, args)
  } catch (error) {
    if (error instanceof HelperError) return new Map()
    throw error
  }
}

interface AskedOption {
  readonly validated: ValidatedHelper
  readonly option: string
  readonly row: OptionRow
  /** The arguments from earlier questions. */
  readonly said: readonly string[]
}

function askOption(interview: Interview, { validated, option, row, said }: AskedOption): Promise<string> {
  const form = row.value === 'list' ? ' (on one line, with quotes around words that have blanks)' : ''
  const choices = typeof row.value === 'string' ? form : ` (${row.value.join(', ')})`
  return resolveAnswer(interview, {
    flag: '--arg',
    words: `${option}${choices}: ${row.summary}`,
    fallback: { value: '', words: 'set on each machine' },
    validate: (answer) => validateAdded(validated, said, toAnswerArguments(option, row, answer)),
  })
}

/** Returns the problem that an answer adds. */
async function validateAdded(
  validated: ValidatedHelper,
  said: readonly string[],
  added: readonly string[],
): Promise<string | undefined> {
  const earlier = (await validateArguments(validated, said)).map(({ message }) => message)
  const problems = await validateArguments(validated, [...said, ...added])
  const found = problems.find(({ message }) => !earlier.includes(message))
  return found && toOneLine(`${found.message}; ${found.hint}`)
}

/** A command is typed as in a terminal, and each of its words is a value of the list. */
function toAnswerArguments(option: string, { value }: OptionRow, answer: string): string[] {
  if (value !== 'list') return toArguments(option, answer)
  const words = [...answer.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) =>
    match.slice(1).find((word) => word !== undefined),
  )
  return words.flatMap((word = '') => toArguments(option, word))
}

function tellMissing(
  { cli }: Interview,
  name: string,
  options: OptionTable,
  values: ReadonlyMap<string, OptionValue>,
): void {
  const missing = listMissing(options, values)
  if (missing.length === 0) return
  const last = missing.at(-1)
  const isOne = missing.length === 1
  const named = missing.map((option) => [option, options[option]?.requiredWithout].filter(Boolean).join(' or '))
  cli.terminal.tell(
    renderWarning(programName, `${name} gets no token until ${named.join(', ')} ${isOne ? 'is' : 'are'} set`) +
      renderHint(
        programName,
        `pass ${isOne ? '' : 'each, such as '}--arg=--${last}=…, or set ${isOne ? 'it' : 'them'} in the helper's file on each machine; see: ${name} --help`,
      ),
  )
}
