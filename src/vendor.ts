import { findNameSource } from './vendor/name-source.ts'
import type { VendorSetting } from './vendor/setting.ts'
import { toVendor, type Vendor } from './vendor/to-vendor.ts'
import builtIn from './vendor.json' with { type: 'json' }

/** What the machine's file says, where it was read before this is loaded, or else this build. */
export const vendorSetting: VendorSetting = findNameSource().setting ?? builtIn

/** The names of the client's vendor. */
export const vendor: Vendor = toVendor(vendorSetting)

/** Whether these are the names of the documentation, which no client has. */
export const isNeutral = vendor.envPrefix === 'VENDOR'
