import { readFileSync } from 'node:fs'
import { toVendor, type Vendor, type VendorSetting } from '../src/vendor/setting.ts'
import { vendor } from '../src/vendor.ts'

/** The vendor that something is built for: that of a file which has been checked, or of this tree. */
export function readVendor(vendorFile: string | undefined): Vendor {
  if (vendorFile === undefined || vendorFile === '') return vendor
  return toVendor(JSON.parse(readFileSync(vendorFile, 'utf8').replace(/^\uFEFF/, '')) as VendorSetting) // it has been checked
}
