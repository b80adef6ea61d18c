import type { Vendor } from '../../vendor/to-vendor.ts'
import { toSha256 } from '../digest.ts'

/** A few digits that differ where any name does: two programs with the same ones have the same names, wherever these come from. */
export function digestNames(names: Vendor): string {
  return toSha256(JSON.stringify(Object.entries(names).toSorted())).slice(0, 8)
}
