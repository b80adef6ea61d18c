import { toSha256 } from '../../runtime/digest.ts'
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
 * The name of an entry: a digest of everything that decides which token it is. Two different inputs never share an entry, and no
 * text of a user becomes part of a path.
 * @param vendorPrefix Part of it, because a suite that is built for another vendor asks another platform.
 */
export function computeCacheKey(
  { program, table, options, inputs }: KeyParts,
  vendorPrefix = vendor.envPrefix,
): string {
  const names = Object.keys(table)
    .filter((name) => options[name] !== undefined && isPartOfKey(table, name))
    .sort()
  const facts = {
    entryFormat,
    vendor: vendorPrefix,
    program,
    options: names.map((name) => [name, options[name]]),
    inputs,
  }
  return toSha256(JSON.stringify(facts)).slice(0, 40)
}

/** Whether an option can change which token is minted. */
export function isPartOfKey(table: OptionTable, name: string): boolean {
  return table[name]?.cacheKey !== 'excluded'
}
