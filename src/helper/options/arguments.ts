import type { ArgumentWord } from './argument-problems.ts'
import type { OptionRow, OptionTable } from './option-table.ts'
import { type OptionValue, type ParsedOption, type PathRules, parseOptionText } from './option-value.ts'

/**
 * Parses the options of a command line.
 * @param paths The path rules of the system that the helper runs on; by default this system's.
 * @throws {HelperError} `usage` that names every problem.
 */
export async function requireArguments(
  program: string,
  table: OptionTable,
  argv: readonly string[],
  paths?: PathRules,
): Promise<Map<string, OptionValue>> {
  const values = new Map<string, OptionValue>()
  const words = parseWords(table, argv, paths)
  for (const { name, parsed } of words) {
    if (!parsed || 'problem' in parsed) {
      // Loaded here, because a call that is served from the cache has no problem to describe.
      const { toUsageError } = await import('./argument-problems.ts')
      throw toUsageError(program, table, words)
    }
    values.set(name, joinValues(values.get(name), parsed.value))
  }
  return values
}

/** Joins the values of a list. Any other option takes its last value, so that an administrator's arguments can be extended. */
function joinValues(earlier: OptionValue | undefined, value: OptionValue): OptionValue {
  return Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value
}

/** A command line without its action, and the action: the word that clients of some formats append, such as `get`. */
interface SeparatedArguments {
  readonly argv: readonly string[]
  readonly action: string | undefined
}

/** Separates a last argument that is neither an option nor an option's value. Only the format decides whether an action is valid. */
export function stripAction(table: OptionTable, argv: readonly string[]): SeparatedArguments {
  const last = argv.at(-1)
  if (last === undefined || last.startsWith('-')) return { argv, action: undefined }
  const isAction = parseWords(table, argv).at(-1)?.row === undefined
  return isAction ? { argv: argv.slice(0, -1), action: last } : { argv, action: undefined }
}

/** Splits a command line into `--name value`, `--name=value`, flags, their short forms such as `-h`, and everything else. */
function parseWords(table: OptionTable, argv: readonly string[], paths?: PathRules): ArgumentWord[] {
  const words: ArgumentWord[] = []
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index]!
    // By convention no option follows a bare `--`, and a helper takes nothing else.
    if (text === '--') return index + 1 < argv.length ? [...words, toStray('')] : words
    const at = text.indexOf('=')
    const [spelling, inline] = at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
    const name = findOption(table, spelling)
    const row = name === undefined ? undefined : table[name]
    if (name === undefined || !row) {
      words.push(toStray(text))
      continue
    }
    // A word that begins with "--" is the next option. A value that begins so is written after "=".
    const isNextValue = row.value !== 'flag' && inline === undefined && !argv[index + 1]?.startsWith('--')
    const value = isNextValue ? argv[++index] : inline
    words.push({ name, row, value, parsed: parseArgumentValue(row, value, paths) })
  }
  return words
}

function toStray(text: string): ArgumentWord {
  return { name: text, row: undefined, value: undefined, parsed: undefined }
}

function findOption(table: OptionTable, spelling: string): string | undefined {
  const name = spelling.startsWith('--') ? spelling.slice(2) : findShort(table, spelling)
  return name !== undefined && Object.hasOwn(table, name) && table[name]?.only !== "machine's file" ? name : undefined
}

function findShort(table: OptionTable, spelling: string): string | undefined {
  return Object.keys(table).find((name) => table[name]?.short !== undefined && spelling === `-${table[name].short}`)
}

/** The beginning of a value between the quotes of a word processor or a chat, from which a command was pasted. No setting begins so. */
const typographicQuote = /^[\u2018-\u201f\u00ab]/

function parseArgumentValue(row: OptionRow, value: string | undefined, paths?: PathRules): ParsedOption {
  if (row.value === 'flag') return value === undefined ? { value: true } : { problem: 'takes no value' }
  if (value === undefined) return { problem: 'needs a value' }
  if (typographicQuote.test(value))
    return { problem: 'begins with a typographic quote, which the shell has not removed: write " in its place' }
  return row.value === 'list' ? { value: [value] } : parseOptionText(row, value, paths)
}
