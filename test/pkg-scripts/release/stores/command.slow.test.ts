import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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
const script = join(root, 'pkg-scripts/release/stores/command.ts')
const env = { PATH: '/usr/bin:/bin' }

/** A package for Windows with these codes, and nothing in it. */
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

test('the manifests are written beside the files of a release, from what these hold', async () => {
  const release = join(await temporaryDirectory(), 'release')
  await mkdir(release)
  for (const target of ['darwin-arm64', 'darwin-x64'])
    await writeFile(join(release, `gatepass-1.2.3-${target}.tar.xz`), target)
  const sources = await temporaryDirectory()
  await writeInstaller(join(sources, 'gatepass.msi'))
  const content = await readFile(join(sources, 'gatepass.msi'))
  const argv = [script, '--release', release, '--homepage', `${homepage}/`]
  await writeFile(join(release, 'gatepass-1.2.3.cdx.json'), '{}')
  expect(await runExecutable(process.execPath, { argv, env })).toEqual({
    status: 3,
    stdout: '',
    stderr: `stores: ${join(release, 'gatepass-1.2.3-win32-x64.msi')} does not exist\nstores: hint: put the files of every target for macOS and Windows there: stores are told of all\n`,
  })
  await rm(join(release, 'gatepass-1.2.3.cdx.json'))
  for (const target of ['win32-arm64', 'win32-x64'])
    await writeFile(join(release, `gatepass-1.2.3-${target}.msi`), content)
  expect(await runExecutable(process.execPath, { argv, env })).toEqual({
    status: 3,
    stdout: '',
    stderr: `stores: ${release} holds 0 files gatepass-VERSION.cdx.json instead of one\nstores: hint: name the folder that npm run release has filled: --release DIRECTORY\n`,
  })

  const bill = { metadata: { component: { licenses: [{ expression: 'LicenseRef-Example' }] } } }
  await writeFile(join(release, 'gatepass-1.2.3.cdx.json'), JSON.stringify(bill))
  const names = ['gatepass.rb', ...['', '.installer', '.locale.en-US'].map((part) => `Example.Gatepass${part}.yaml`)]
  expect(await runExecutable(process.execPath, { argv, env })).toEqual({
    status: 0,
    stdout: names.map((name) => `${name}\n`).join(''),
    stderr: '',
  })
  expect(await readdir(release)).toEqual(expect.arrayContaining(names))
  const manifest = parse(await readFile(join(release, 'Example.Gatepass.installer.yaml'), 'utf8'))
  expect(manifest.Installers[0]).toMatchObject({
    Architecture: 'x64',
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
  expect(await readFile(join(release, 'gatepass.rb'), 'utf8')).toContain(`sha256 arm:   "${digest}",\n`)
})
