import type { OptionRow, OptionTable } from './table.ts'
import { type ParsedOption, parseOptionText } from './value.ts'

/** An option with its value, or an argument that is no option of the table. */
export interface ArgumentWord {
  /** The name of the option; otherwise the argument as it stands. */
  readonly name: string
  /** `undefined` for an argument that is no option of the table. */
  readonly row: OptionRow | undefined
  readonly value: string | undefined
}

/** Splits a command line into `--name value`, `--name=value`, flags, their short forms such as `-h`, and everything else. */
export function parseArgumentWords(table: OptionTable, argv: readonly string[]): ArgumentWord[] {
  const words: ArgumentWord[] = []
  for (let index = 0; index < argv.length; index += 1) {
    const text = argv[index]!
    // By convention what follows is no option, and there is nothing else that a helper takes.
    if (text === '--') return index + 1 < argv.length ? [...words, toStray('')] : words
    const [spelling, inline] = splitAtEquals(text)
    const name = findOption(table, spelling)
    const row = name === undefined ? undefined : table[name]
    // Otherwise the next option would be taken for the value; a value that begins with "--" is written with "=".
    const isNextValue = row && row.value !== 'flag' && inline === undefined && !argv[index + 1]?.startsWith('--')
    if (name === undefined) words.push(toStray(text))
    else words.push({ name, row, value: isNextValue ? argv[++index] : inline })
  }
  return words
}

/** The value of an option, or what is wrong with it. */
export function parseArgumentValue(row: OptionRow, value: string | undefined): ParsedOption {
  if (row.value === 'flag') return value === undefined ? { value: true } : { problem: 'takes no value' }
  if (value === undefined) return { problem: 'needs a value' }
  return row.value === 'list' ? { value: [value] } : parseOptionText(row, value)
}

function toStray(text: string): ArgumentWord {
  return { name: text, row: undefined, value: undefined }
}

function splitAtEquals(text: string): [spelling: string, inline: string | undefined] {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function findOption(table: OptionTable, spelling: string): string | undefined {
  const name = spelling.startsWith('--') ? spelling.slice(2) : findShort(table, spelling)
  return name !== undefined && Object.hasOwn(table, name) && table[name]?.only !== "machine's file" ? name : undefined
}

function findShort(table: OptionTable, spelling: string): string | undefined {
  return Object.keys(table).find((name) => table[name]?.short !== undefined && spelling === `-${table[name].short}`)
}
