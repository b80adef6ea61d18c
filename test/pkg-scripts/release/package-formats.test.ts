import { expect, test } from 'vitest'
import { selectFormats } from '../../../pkg-scripts/release/package-formats.ts'
import { requireTools } from '../../../pkg-scripts/release/part/require-tools.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test('a target is published in every format of its platform that is not left out', () => {
  const namesOf = (targets: string[], without: string[] = []) => selectFormats(targets, without).map(({ name }) => name)
  expect([namesOf(['linux-arm64']), namesOf(['darwin-x64']), namesOf(['linux-x64', 'win32-x64'], ['deb'])]).toEqual([
    ['tar.xz', 'deb', 'rpm', 'oci'],
    ['tar.xz'],
    ['tar.xz', 'zip', 'msi', 'rpm', 'oci'],
  ])
})

test('a format that does not exist cannot be left out', () => {
  expect(() => selectFormats(['linux-x64'], ['debian'])).toThrow(
    new HelperError('usage', '--without: there is no format debian', 'choose tar.xz, zip, msi, deb, rpm, oci'),
  )
})

test('missing tools are named with the packages that install them, and the way around them', async () => {
  const nowhere = await temporaryDirectory()
  const maker = { makes: 'the format rpm', otherwise: '; or build without the format: --without rpm' }
  expect(() => requireTools({ rpmbuild: 'rpm', rpmsign: 'rpm', gpg: 'gnupg' }, maker, nowhere)).toThrow(
    new HelperError(
      'not-configured',
      'rpmbuild, rpmsign, gpg, which make the format rpm, are not installed',
      'run: sudo apt-get install rpm gnupg; or build without the format: --without rpm',
    ),
  )
})
