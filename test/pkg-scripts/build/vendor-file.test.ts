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

test('a complete setting is accepted', async () => {
  const path = await write(setting)
  expect(checkVendorFile(path)).toBe(path)
})

test('the name of the platform on AWS and the agent’s variable are settings of their own, which may be left out', async () => {
  const path = await write({ ...setting, awsService: 'acme-on-aws', keyHelperTtlVariable: 'ACME_AGENT_TTL_MS' })
  expect(checkVendorFile(path)).toBe(path)
})

test('every problem is reported at once', async () => {
  const path = await write({ ...setting, envPrefix: 'acme', cloudWord: undefined, awsService: 'Acme', color: 'red' })
  expect(() => checkVendorFile(path)).toThrow(
    `${path} is not a vendor setting
envPrefix: expected text of the form ^[A-Z][A-Z0-9_]*$
cloudWord: expected text of the form ^[A-Z][A-Za-z0-9]*$
awsService: expected text of the form ^[a-z][a-z0-9-]*$
color: unknown key`,
  )
})
