import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkVendorFile } from '../../../pkg-scripts/build/vendor-file.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const setting = { name: 'Acme', envPrefix: 'ACME_AI', headerPrefix: 'acme', cloudWord: 'Cirrus', keyPrefix: 'sk-acme-' }

async function write(content: unknown): Promise<string> {
  const path = join(await temporaryDirectory(), 'vendor.json')
  await writeFile(path, JSON.stringify(content))
  return path
}

test('a complete setting is accepted', async () => {
  const path = await write(setting)
  expect(checkVendorFile(path)).toBe(path)
})

test('every problem of a file is reported at once, as a failure with a way out', async () => {
  const path = await write({ ...setting, envPrefix: 'ACME_', awsService: 'Acme' })
  expect(() => checkVendorFile(path)).toThrow(
    new HelperError(
      'not-configured',
      `${path} is no vendor file: envPrefix: expected letters, digits and underscores that do not begin with a digit, and do not end with an underscore, which is added; found "ACME_"; awsService: expected lower-case letters, digits, dots and hyphens, and a letter or digit at both ends; found "Acme"`,
      'correct it; see docs/vendor.md',
    ),
  )
})

test('a missing file is named', async () => {
  const path = join(await temporaryDirectory(), 'none.json')
  expect(() => checkVendorFile(path)).toThrow(
    new HelperError('not-configured', `cannot read ${path} (ENOENT)`, 'name an existing vendor file'),
  )
})
