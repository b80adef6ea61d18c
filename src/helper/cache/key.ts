import { digestFingerprint } from '../../runtime/private/fingerprint.ts'
import { vendor } from '../../vendor.ts'
import type { OptionTable } from '../options/table.ts'
import { entryFormat } from './entry.ts'

/** What the key of an entry is made from. */
export interface KeyParts {
  readonly program: string
  readonly table: OptionTable
  readonly options: Readonly<Record<string, unknown>>
  /** The plan's inputs. */
  readonly inputs: unknown
}

/**
 * The name of an entry: a digest of everything that decides which token it is, with its length, 40 hexadecimal digits. No text of a
 * user becomes part of a path. Whoever could choose two inputs of one digest could as well choose one input twice.
 * @param names Part of it: for another vendor another platform is asked, or in another form.
 */
export function computeCacheKey(
  { program, table, options, inputs }: KeyParts,
  names: readonly string[] = [vendor.envPrefix, vendor.workspaceHeader, vendor.keyPrefix, vendor.awsService],
): string {
  const chosen = Object.keys(table)
    .filter((name) => options[name] !== undefined && isPartOfKey(table, name))
    .sort()
  const facts = {
    entryFormat,
    vendor: names,
    program,
    options: chosen.map((name) => [name, options[name]]),
    inputs,
  }
  const text = JSON.stringify(facts)
  return `${digestFingerprint(text)}${text.length.toString(16).padStart(8, '0')}`
}

/** Whether an option can change which token is minted. */
export function isPartOfKey(table: OptionTable, name: string): boolean {
  return table[name]?.cacheKey !== 'excluded'
}
