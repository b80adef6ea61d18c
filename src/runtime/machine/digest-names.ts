import type { Vendor } from '../../vendor/setting.ts'
import { toSha256 } from '../digest.ts'

/** A short digest of all names: two programs with the same digest have the same names, whatever their source. */
export function digestNames(names: Vendor): string {
  return toSha256(JSON.stringify(Object.entries(names).toSorted())).slice(0, 8)
}
