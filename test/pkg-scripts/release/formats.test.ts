import { expect, test } from 'vitest'
import { requireTools, selectFormats } from '../../../pkg-scripts/release/formats.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('a target is published in every format of its platform that is not left out', () => {
  const namesOf = (targets: string[], without: string[] = []) => selectFormats(targets, without).map(({ name }) => name)
  expect(namesOf(['linux-arm64'])).toEqual(['tar.xz', 'deb', 'rpm'])
  expect(namesOf(['darwin-x64'])).toEqual(['tar.xz'])
  expect(namesOf(['linux-x64', 'win32-x64'], ['deb'])).toEqual(['tar.xz', 'zip', 'rpm'])
})

test('a format that is none cannot be left out', () => {
  expect(() => selectFormats(['linux-x64'], ['debian'])).toThrow('--without: there is no format debian')
})

test('a missing tool is named with the package that installs it, and the way around it', async () => {
  const nowhere = await temporaryDirectory()
  expect(() => requireTools(selectFormats(['linux-x64'], ['tar.xz', 'deb']), nowhere)).toThrow(
    expect.objectContaining({
      message: 'rpmbuild, which makes the format rpm, is not installed',
      hint: 'run: sudo apt-get install rpm; or leave the format out: --without rpm',
    }),
  )
})
