import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { HelperError } from '../../src/runtime/failure.ts'
import type { VendorSetting } from '../../src/vendor/setting.ts'
import { toVendor, type Vendor } from '../../src/vendor/to-vendor.ts'
import { parseVendorSetting } from '../../src/vendor/validate-setting.ts'
import { vendor } from '../../src/vendor.ts'

/** The absolute path of a valid vendor file. Throws with every problem of another one. */
export function checkVendorFile(path: string): string {
  readSetting(path)
  return resolve(path)
}

/** The vendor that a build is for: that of a file, or of the tree. @throws as {@link checkVendorFile}. */
export function readVendor(path: string | undefined): Vendor {
  return path === undefined ? vendor : toVendor(readSetting(path))
}

function readSetting(path: string): VendorSetting {
  const result = parseVendorSetting(read(path))
  if ('setting' in result) return result.setting
  const problems = result.problems.map((problem) => `\n  ${problem}`).join('')
  throw new HelperError('not-configured', `${path} is no vendor file:${problems}`, 'correct it; see docs/vendor.md')
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new HelperError('not-configured', `cannot read ${path} (${code})`, 'name an existing vendor file', { cause })
  }
}
