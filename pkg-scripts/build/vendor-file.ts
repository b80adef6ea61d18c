import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { toReadFailure } from '../../src/runtime/disk.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { noVendorFileHint } from '../../src/runtime/read-names.ts'
import { parseVendorSetting } from '../../src/vendor/validate-setting.ts'

/**
 * Returns the absolute path of a valid vendor file.
 * @throws with every problem of an invalid one.
 */
export function checkVendorFile(path: string): string {
  const result = parseVendorSetting(read(path))
  if ('setting' in result) return resolve(path)
  const problems = result.problems.join('; ')
  throw new HelperError('not-configured', `${path} is no vendor file: ${problems}`, 'correct it; see docs/vendor.md')
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw toReadFailure(path, cause, noVendorFileHint)
  }
}
