import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkVendorFile } from '../../../pkg-scripts/build/vendor-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const setting = { name: 'Acme', envPrefix: 'ACME_AI', headerPrefix: 'acme', cloudWord: 'Cirrus', keyPrefix: 'sk-acme-' }

async function write(content: unknown): Promise<string> {
  const path = join(await temporaryDirectory(), 'vendor.json')
  await writeFile(path, JSON.stringify(content))
  return path
}

test('a whole setting is taken', async () => {
  const path = await write(setting)
  expect(checkVendorFile(path)).toBe(path)
})

test('everything that is wrong is named at once', async () => {
  const path = await write({ ...setting, envPrefix: 'acme', cloudWord: undefined, color: 'red' })
  expect(() => checkVendorFile(path)).toThrow(
    `${path} is no vendor setting
envPrefix: expected text of the form ^[A-Z][A-Z0-9_]*$
cloudWord: expected text of the form ^[A-Z][A-Za-z0-9]*$
color: not known`,
  )
})
