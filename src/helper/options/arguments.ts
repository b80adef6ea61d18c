import { parseArgumentValue, parseArgumentWords } from './argument-words.ts'
import type { OptionTable } from './table.ts'
import type { OptionValue } from './value.ts'

/**
 * Reads the options of a command line.
 * @throws {HelperError} `usage` that names every problem.
 */
export async function parseArguments(
  program: string,
  table: OptionTable,
  argv: readonly string[],
): Promise<Map<string, OptionValue>> {
  const values = new Map<string, OptionValue>()
  const words = parseArgumentWords(table, argv)
  for (const { name, row, value } of words) {
    const parsed = row && parseArgumentValue(row, value)
    if (!parsed || 'problem' in parsed) {
      // Loaded here, because a call that is served from the cache has no problem to describe.
      const { toUsageError } = await import('./argument-problems.ts')
      throw toUsageError(program, table, words)
    }
    values.set(name, append(values.get(name), parsed.value))
  }
  return values
}

/** Lists are joined; of other options the last value counts, so that an administrator's arguments can be extended. */
function append(earlier: OptionValue | undefined, value: OptionValue): OptionValue {
  return Array.isArray(earlier) && Array.isArray(value) ? [...earlier, ...value] : value
}
