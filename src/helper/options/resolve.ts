import type { Environment } from '../../runtime/environment.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { OptionFile } from './files.ts'
import { listVariables, type OptionRow, type OptionTable } from './table.ts'
import { type OptionValue, parseOptionText } from './value.ts'

/** The value of an option, and where it came from, in words. */
export interface ResolvedOption {
  readonly value: OptionValue | undefined
  readonly origin: string
}

/** Options by name. */
export type ResolvedOptions = ReadonlyMap<string, ResolvedOption>

/** Everything that can set an option; what is left out sets nothing. */
interface OptionInputs {
  readonly arguments: ReadonlyMap<string, OptionValue>
  readonly env?: Environment
  readonly user?: OptionFile
  readonly machine?: OptionFile
}

/**
 * Resolves every option of a table: a locked one from the machine's file; then arguments, environment, the user's file,
 * the machine's file, the default.
 * @throws {HelperError} `usage` that names every variable that cannot be parsed.
 */
export function resolveOptions(program: string, table: OptionTable, inputs: OptionInputs): ResolvedOptions {
  const problems: string[] = []
  const resolved = new Map<string, ResolvedOption>()
  for (const [name, row] of Object.entries(table)) {
    const found = resolveOption(name, row, inputs)
    if ('problem' in found) problems.push(found.problem)
    else resolved.set(name, found)
  }
  if (problems.length > 0)
    throw new HelperError('usage', problems.join('; '), `correct the environment, or see: ${program} --help`)
  return resolved
}

function resolveOption(name: string, row: OptionRow, inputs: OptionInputs): ResolvedOption | { problem: string } {
  const { arguments: given, env = {}, user, machine } = inputs
  if (machine?.locked.has(name)) return { value: machine.values.get(name), origin: `locked by ${machine.path}` }
  const argument = given.get(name)
  if (argument !== undefined) return { value: argument, origin: 'argument' }
  for (const variable of listVariables(name, row)) {
    const text = env[variable]
    if (text === undefined || text === '') continue
    const parsed = parseOptionText(row, text)
    return 'problem' in parsed
      ? { problem: `${variable}: ${parsed.problem}` }
      : { value: parsed.value, origin: `variable ${variable}` }
  }
  for (const file of [user, machine]) {
    const value = file?.values.get(name)
    if (file && value !== undefined) return { value, origin: file.path }
  }
  return { value: row.default ?? emptyOf(row), origin: 'default' }
}

function emptyOf({ value }: OptionRow): OptionValue | undefined {
  if (value === 'flag') return false
  return value === 'list' ? [] : undefined
}
