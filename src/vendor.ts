import { toVendor, type Vendor } from './vendor/to-vendor.ts'
import setting from './vendor.json' with { type: 'json' }

/** The vendor that this build is made for. */
export const vendor: Vendor = toVendor(setting)
