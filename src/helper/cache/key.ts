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
  const text = JSON.stringify(facts)
  return `${digestFingerprint(text)}${text.length.toString(16).padStart(8, '0')}`
}

/** Whether an option can change which token is minted. */
export function isPartOfKey(table: OptionTable, name: string): boolean {
  return table[name]?.cacheKey !== 'excluded'
}
