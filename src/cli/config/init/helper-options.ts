import type { AnyHelper } from '../../../helper/define-helper.ts'
import { parseArguments } from '../../../helper/options/arguments.ts'
import { commonOptions, hasValueOf, type OptionRow, type OptionTable } from '../../../helper/options/table.ts'
import type { OptionValue } from '../../../helper/options/value.ts'
import { HelperError, renderWarning } from '../../../runtime/failure.ts'
import { programName } from '../../program-name.ts'
import { toArguments } from './flags.ts'
import { type Interview, resolveAnswer } from './question.ts'

interface Asked {
  readonly name: string
  readonly helper: AnyHelper
  /** The arguments that the command line gives. */
  readonly given: readonly string[]
}

/**
 * Arguments for what the helper needs and no argument says. No answer leaves it to the files of each machine; what the
 * helper cannot do without is named then.
 */
export async function askOptions(interview: Interview, { name, helper, given }: Asked): Promise<string[]> {
  const table: OptionTable = { ...commonOptions, ...helper.options }
  const args: string[] = []
  let values = await parseGiven(name, table, given)
  for (const [option, row] of Object.entries<OptionRow>(helper.options)) {
    if (values.has(option) || !(isNeeded(row, values) || hasValueOf(row.asked, values))) continue
    const answer = await askOption(interview, { name, table, option, row })
    if (answer !== '') args.push(...toAnswerArguments(option, row, answer))
    values = await parseGiven(name, table, [...given, ...args])
  }
  tellMissing(interview, name, helper.options, values)
  return args
}

/** Wrong arguments are reported by the check of the whole document. */
async function parseGiven(
  name: string,
  table: OptionTable,
  args: readonly string[],
): Promise<ReadonlyMap<string, OptionValue>> {
  const parsed = await parseOrProblem(name, table, args)
  return typeof parsed === 'string' ? new Map() : parsed
}

async function parseOrProblem(name: string, table: OptionTable, args: readonly string[]) {
  try {
    return await parseArguments(name, table, args)
  } catch (error) {
    if (error instanceof HelperError) return error.message
    throw error
  }
}

function isNeeded(row: OptionRow, values: ReadonlyMap<string, OptionValue>): boolean {
  const { required = false, requiredWithout, requiredBeside, requiredWith } = row
  const isOnly = requiredWithout !== undefined && !values.has(requiredWithout)
  const isOther = requiredBeside !== undefined && values.has(requiredBeside)
  return required || isOnly || isOther || hasValueOf(requiredWith, values)
}

interface AskedOption {
  readonly name: string
  readonly table: OptionTable
  readonly option: string
  readonly row: OptionRow
}

function askOption(interview: Interview, { name, table, option, row }: AskedOption): Promise<string> {
  const form = row.value === 'list' ? ' (on one line, with quotes around words that have blanks)' : ''
  const choices = typeof row.value === 'string' ? form : ` (${row.value.join(', ')})`
  return resolveAnswer(interview, {
    flag: '--arg',
    words: `${option}${choices}: ${row.summary}`,
    fallback: { value: '', words: 'set on each machine' },
    findProblem: async (answer) => {
      const parsed = await parseOrProblem(name, table, toAnswerArguments(option, row, answer))
      return typeof parsed === 'string' ? parsed : undefined
    },
  })
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
  const missing = Object.keys(options).filter((option) => !values.has(option) && isNeeded(options[option]!, values))
  if (missing.length === 0) return
  const [last] = missing.slice(-1)
  const isOne = missing.length === 1
  const named = missing.map((option) => [option, options[option]?.requiredWithout].filter(Boolean).join(' or '))
  cli.terminal.tell(
    renderWarning(programName, `${name} gets no token until ${named.join(', ')} ${isOne ? 'is' : 'are'} set`) +
      `${programName}: hint: pass ${isOne ? '' : 'each, such as '}--arg=--${last}=…, or set ${isOne ? 'it' : 'them'} in the helper's file on each machine; see: ${name} --help\n`,
  )
}
