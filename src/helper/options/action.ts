import { parseArgumentWords } from './argument-words.ts'
import type { OptionTable } from './table.ts'

/** A command line without its action: the word that clients of some formats append, such as `get`. */
interface SeparatedArguments {
  readonly argv: readonly string[]
  readonly action: string | undefined
}

/** Takes a last argument away that is no option and no value of one. Whether there may be one, only the format tells. */
export function stripAction(table: OptionTable, argv: readonly string[]): SeparatedArguments {
  const last = argv.at(-1)
  if (last === undefined || last.startsWith('-')) return { argv, action: undefined }
  const isAction = parseArgumentWords(table, argv).at(-1)?.row === undefined
  return isAction ? { argv: argv.slice(0, -1), action: last } : { argv, action: undefined }
}
