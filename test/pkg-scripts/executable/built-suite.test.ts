import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requireBuiltSuite } from '../../../pkg-scripts/executable/build-suite.ts'
import { listHelpers } from '../../../pkg-scripts/tree.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('executables that another machine has built are taken from the folder of their target', async () => {
  const parent = await temporaryDirectory()
  const directory = join(parent, 'win32-x64')
  await mkdir(directory)
  await writeFile(join(directory, 'gatepass.exe'), '')
  const missing = join(directory, 'gatepass-helpers.exe')
  const hint = 'build it there: npm run build -- --target win32-x64, or remove --target'
  expect(() => requireBuiltSuite('win32-x64', {}, parent)).toThrow(
    new HelperError('not-configured', `there is no file ${missing}`, hint),
  )

  await writeFile(missing, '')
  expect(requireBuiltSuite('win32-x64', {}, parent)).toEqual({
    target: 'win32-x64',
    directory,
    helpers: missing,
    cli: join(directory, 'gatepass.exe'),
    links: listHelpers().map((name) => join(directory, `${name}.exe`)),
  })
})
