import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildSeparate } from '../../pkg-scripts/executable/build-suite.ts'
import { prepareRuntime } from '../../pkg-scripts/executable/prepare-runtime.ts'
import { hostTarget, listRuntimes } from '../../pkg-scripts/executable/runtimes.ts'
import { listHelpers, root } from '../../pkg-scripts/tree.ts'
import { version } from '../../src/version.ts'
import { type Inspection, inspectExecutable, readWindowsDescriptions } from './inspect-executable.ts'

const [first = ''] = listHelpers()
const looks: Readonly<Record<string, Pick<Inspection, 'format' | 'program'>>> = {
  linux: { format: 'ELF', program: 'note' },
  darwin: { format: 'Mach-O', program: 'segment' },
  win32: { format: 'PE', program: 'resource' },
}

test('there is a pinned runtime for every platform', () => {
  expect(
    listRuntimes()
      .map(({ target }) => target)
      .sort(),
  ).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-arm64', 'win32-x64'])
  expect(listRuntimes().every(({ integrity }) => integrity.startsWith('sha512-'))).toBe(true)
})

describe('built on another platform', () => {
  const targets = listRuntimes()
    .map(({ target }) => target)
    .filter((target) => target !== hostTarget)

  test.each(targets)(
    'an executable for %s holds the program, and no signature that would be invalid',
    async (target) => {
      const path = await buildSeparate(target, first, {}, join(root, 'dist', 'test'))
      const file = await readFile(path)
      const [platform = '', machine = ''] = target.split('-')
      expect({
        looks: inspectExecutable(file),
        isExe: path.endsWith('.exe'),
        holds: [version, `"${first}"`, root].map((text) => file.includes(text)),
        // The runtime that has foreign functions only when it is asked for them; an argument stands behind its length.
        asks: file.includes(Buffer.from('\x12\0\0\0\0\0\0\0--experimental-ffi')),
      }).toEqual({
        looks: { ...looks[platform], machine, signature: 'none', fuse: '1' },
        isExe: platform === 'win32',
        holds: [true, true, false],
        asks: target === 'win32-arm64',
      })
    },
  )
})

test.each(['win32-x64', 'win32-arm64'])(
  'an executable for %s has our name, description and version',
  async (target) => {
    const file = await readFile(await buildSeparate(target, first, {}, join(root, 'dist', 'test')))
    const ours = {
      CompanyName: 'Gatepass maintainers',
      FileDescription: `credential helper ${first}`,
      FileVersion: version,
      OriginalFilename: `${first}.exe`,
      ProductName: 'Gatepass',
      ProductVersion: version,
    }
    const found = readWindowsDescriptions(file)
    expect(found).toEqual(found.map(() => ours))
    expect(found.length).toBeGreaterThan(0)
  },
)

test('a runtime that is not the pinned one is refused', async () => {
  const small = { target: 'linux-x64', packageName: 'yoctocolors', version: '2.1.1', integrity: 'sha512-another' }
  await expect(prepareRuntime(small)).rejects.toThrow('yoctocolors@2.1.1 is not what package-lock.json pins: sha512-')
})
