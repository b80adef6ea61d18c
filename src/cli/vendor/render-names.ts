import { vendorRules } from '../../vendor/rules.ts'
import type { VendorKey, VendorSetting } from '../../vendor/setting.ts'
import { toVendor } from '../../vendor/to-vendor.ts'

/** A name, and who says it. */
export interface ShownName {
  readonly value: string
  readonly from: 'given' | 'derived'
}

/** Every name that follows from a setting: first those that a file can set. */
export function listNames(setting: VendorSetting): ReadonlyMap<string, ShownName> {
  const settable = Object.keys(vendorRules) as VendorKey[] // the table's own
  const all = Object.entries(toVendor(setting))
  const rank = (name: string) => [...settable, name].indexOf(name as VendorKey)
  return new Map(
    all
      .toSorted(([a], [b]) => rank(a) - rank(b))
      .map(([name, value]) => [name, { value, from: name in setting ? 'given' : 'derived' }]),
  )
}

/** One line for each name, in columns. */
export function renderNames(names: ReadonlyMap<string, ShownName>): string {
  const width = Math.max(...[...names.keys()].map((name) => name.length))
  return [...names]
    .map(([name, { value, from }]) => `  ${name.padEnd(width)}  ${value}${from === 'derived' ? '  (derived)' : ''}\n`)
    .join('')
}
