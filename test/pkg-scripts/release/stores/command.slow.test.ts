import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from '../../../../pkg-scripts/tree.ts'
import { runExecutable } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

const productCode = '{12345678-1234-1234-1234-1234567890AB}'
const upgradeCode = '{ABCDEF01-1234-1234-1234-1234567890AB}'
const homepage = 'https://github.com/example/gatepass'
const script = join(root, 'pkg-scripts/release/stores/write-manifests.ts')
const env = { PATH: '/usr/bin:/bin' }

/** Writes a package for Windows with these codes, and nothing in it. */
async function writeInstaller(path: string): Promise<void> {
  const source = `${path}.wxs`
  await writeFile(
    source,
    `<?xml version="1.0"?><Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
<Product Id="${productCode}" UpgradeCode="${upgradeCode}" Name="Gatepass command" Version="1.2.3" Manufacturer="Example" Language="1033">
<Package InstallerVersion="500" Compressed="yes"/><Directory Id="TARGETDIR" Name="SourceDir"/>
<Feature Id="Complete" Level="1"/></Product></Wix>`,
  )
  await promisify(execFile)('wixl', ['--output', path, source])
}

/** Creates a release with the files of both macOS targets, and the command over it. */
async function createRelease() {
  const release = join(await temporaryDirectory(), 'release')
  await mkdir(release)
  for (const target of ['darwin-arm64', 'darwin-x64'])
    await writeFile(join(release, `gatepass-1.2.3-${target}.tar.xz`), target)
  const argv = [script, '--release', release, '--homepage', `${homepage}/`]
  const bill = { metadata: { component: { licenses: [{ expression: 'LicenseRef-Example' }] } } }
  return {
    release,
    addBill: () => writeFile(join(release, 'gatepass-1.2.3.cdx.json'), JSON.stringify(bill)),
    /** Adds the package for each Windows target, and gives its content. */
    async addInstallers(): Promise<Buffer> {
      const path = join(await temporaryDirectory(), 'gatepass.msi')
      await writeInstaller(path)
      for (const target of ['win32-arm64', 'win32-x64'])
        await copyFile(path, join(release, `gatepass-1.2.3-${target}.msi`))
      return readFile(path)
    },
    run: () => runExecutable(process.execPath, { argv, env }),
  }
}

test('a release without the files of a target is refused by the name of the first', async () => {
  const { release, addBill, run } = await createRelease()
  await addBill()
  expect(await run()).toEqual({
    status: 3,
    stdout: '',
    stderr: `stores: ${join(release, 'gatepass-1.2.3-win32-x64.msi')} does not exist\nstores: hint: put the files of every target for macOS and Windows there: an entry of a store names all of them\n`,
  })
})

test('a folder without a bill of materials is refused as a release', async () => {
  const { release, addInstallers, run } = await createRelease()
  await addInstallers()
  expect(await run()).toEqual({
    status: 3,
    stdout: '',
    stderr: `stores: ${release} holds 0 files gatepass-VERSION.cdx.json instead of one\nstores: hint: name the folder that npm run release has filled: --release DIRECTORY\n`,
  })
})

test('the manifests are written beside the files of a release, from what these hold', async () => {
  const { release, addBill, addInstallers, run } = await createRelease()
  const content = await addInstallers()
  await addBill()
  const names = ['gatepass.rb', ...['', '.installer', '.locale.en-US'].map((part) => `Example.Gatepass${part}.yaml`)]
  const packages = ['.cdx.json', '-darwin-arm64.tar.xz', '-darwin-x64.tar.xz', '-win32-arm64.msi', '-win32-x64.msi']
  expect({ ran: await run(), files: (await readdir(release)).sort() }).toEqual({
    ran: { status: 0, stdout: names.map((name) => `${name}\n`).join(''), stderr: '' },
    files: [...names, ...packages.map((end) => `gatepass-1.2.3${end}`)].sort(),
  })
  const manifest = parse(await readFile(join(release, 'Example.Gatepass.installer.yaml'), 'utf8'))
  expect(manifest.Installers[0]).toEqual({
    Architecture: 'x64',
    InstallerUrl: `${homepage}/releases/download/v1.2.3/gatepass-1.2.3-win32-x64.msi`,
    ProductCode: productCode,
    InstallerSha256: createHash('sha256').update(content).digest('hex').toUpperCase(),
    AppsAndFeaturesEntries: [
      {
        DisplayName: 'Gatepass command',
        Publisher: 'Example',
        DisplayVersion: '1.2.3',
        ProductCode: productCode,
        UpgradeCode: upgradeCode,
      },
    ],
  })
  const digest = createHash('sha256').update('darwin-arm64').digest('hex')
  const cask = await readFile(join(release, 'gatepass.rb'), 'utf8')
  expect(cask.match(/sha256 arm: .*\n/)?.[0]).toBe(`sha256 arm:   "${digest}",\n`)
})
