import { readFileSync } from 'node:fs'
import { HelperError } from '../src/runtime/failure.ts'
import { stripMark } from '../src/runtime/values/json-value.ts'
import { toVendor, type Vendor, type VendorSetting } from '../src/vendor/setting.ts'
import { vendorSetting } from '../src/vendor.ts'

/** Returns the vendor of a validated file, or of this tree. */
export function readVendor(vendorFile: string | undefined): Vendor {
  return toVendor(readSetting(vendorFile))
}

/**
 * Returns the vendor of a published build, whose packages name a contact for users.
 * @throws HelperError if the setting does not name the publisher, because a wrong contact is worse than none
 */
export function requirePublisher(vendorFile: string | undefined): Vendor {
  const setting = readSetting(vendorFile)
  const missing = (['publisher', 'contact', 'helpUrl'] as const).filter((name) => !setting[name])
  if (missing.length === 0) return toVendor(setting)
  throw new HelperError(
    'not-configured',
    `${vendorFile || 'src/vendor.json'} does not say who publishes these packages: it has no ${missing.join(', ')}`,
    'add your own to the file; docs/vendor.md says what they are',
  )
}

function readSetting(vendorFile: string | undefined): VendorSetting {
  if (vendorFile === undefined || vendorFile === '') return vendorSetting
  return JSON.parse(stripMark(readFileSync(vendorFile, 'utf8'))) as VendorSetting // checkVendorFile has validated it
}
