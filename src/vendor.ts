// Folder: every name with a vendor's brand, and the version.

import { selectNameSource, toVendor, type Vendor, type VendorSetting } from './vendor/setting.ts'
import builtIn from './vendor.json' with { type: 'json' }

/** The names of the machine's file if it was read before this file is loaded, otherwise those of the build. */
export const vendorSetting: VendorSetting = selectNameSource().setting ?? builtIn

/** The names of the client's vendor. */
export const vendor: Vendor = toVendor(vendorSetting)

/** Whether these are the names of the documentation, which no client uses. */
export const isNeutral = vendor.envPrefix === 'VENDOR'
