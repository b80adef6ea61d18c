import { parseArgs } from 'node:util'
import { HelperError } from '../../runtime/failure.ts'
import type { OptionTable } from './table.ts'
import { type OptionValue, parseOptionText } from './value.ts'

/**
 * Reads `--name value`, `--name=value` and flags.
 * @throws {HelperError} `usage` that names every problem.
 */
export function parseArguments(program: string, table: OptionTable, argv: readonly string[]): Map<string, OptionValue> {
  // Most clients pass none, and a call that is served from the cache need not load the parser.
  if (argv.length === 0) return new Map()
  const { tokens } = parseArgs({ args: [...argv], options: flagsOf(table), strict: false, tokens: true })
  const values = new Map<string, OptionValue>()
  const problems: string[] = []
  for (const token of tokens) {
    if (token.kind !== 'option') {
      if (token.kind === 'positional') problems.push('unexpected argument (options start with "--")')
      continue
    }
    const found = readOption(table, token)
    if ('problem' in found) problems.push(found.problem)
    else values.set(token.name, append(values.get(token.name), found.value))
  }
  if (problems.length > 0) throw new HelperError('usage', problems.join('; '), `see: ${program} --help`)
  return values
}

interface OptionToken {
  readonly name: string
  readonly rawName: string
  readonly value: string | undefined
  /** Whether the value follows "=" in the same argument. */
  readonly inlineValue: boolean | undefined
}

function readOption(table: OptionTable, { name, rawName, value, inlineValue }: OptionToken) {
  const row = Object.hasOwn(table, name) && rawName.startsWith('--') ? table[name] : undefined
  if (row === undefined) return { problem: `unknown option ${rawName}${suggestionFor(name, Object.keys(table))}` }
  if (row.value === 'flag') return value === undefined ? { value: true } : { problem: `${rawName} takes no value` }
  // Otherwise the next option would be taken for the value; a value that begins with "--" is written with "=".
  const isNextOption = !inlineValue && value?.startsWith('--')
  if (value === undefined || isNextOption) return { problem: `${rawName} needs a value` }
  if (row.value === 'list') return { value: [value] }
  const parsed = parseOptionText(row, value)
  return 'problem' in parsed ? { problem: `${rawName}: ${parsed.problem}` } : parsed
}

/** Lists are joined; of other options the last value counts, so that an administrator's arguments can be extended. */
function append(earlier: OptionValue | undefined, value: OptionValue): OptionValue {
  return Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value
}

function flagsOf(table: OptionTable) {
  return Object.fromEntries(
    Object.entries(table).map(([name, { value }]) => [
      name,
      { type: value === 'flag' ? ('boolean' as const) : ('string' as const) },
    ]),
  )
}

function suggestionFor(name: string, known: readonly string[]): string {
  const near = known.find((other) => other.startsWith(name) || name.startsWith(other) || distance(name, other) <= 2)
  return near ? ` (did you mean --${near}?)` : ''
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[b.length]!
}
