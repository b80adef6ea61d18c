import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { startAppleTools, writeArchive } from './start-apple-tools.ts'

const done = { status: 0, stdout: '', stderr: '' }
const identity = 'Developer ID Installer: Example (A1B2C3D4E5)'
const key = { APPLE_KEY: 'the key', APPLE_KEY_ID: 'K1', APPLE_KEY_ISSUER: 'I1' }
const signIn = '--key WORK/key.p8 --key-id K1 --issuer I1'

describe('the installer package for macOS', () => {
  test('is made by Apple’s tools, under the identifier of the program’s signature, and signed', async () => {
    const { record, run, readCalls } = await startAppleTools()
    const archive = await writeArchive('gatepass-helpers-1.2.3', 'arm64')
    const output = join(record, 'made.pkg')
    expect(await run('build-package.sh', [archive, output], { SIGN_MACOS_INSTALLER_IDENTITY: identity })).toEqual(done)
    const program = 'WORK/root/opt/gatepass/package/gatepass-helpers/gatepass-helpers'
    const identifier = 'com.vendor.gatepass.gatepass-helpers'
    expect(await readCalls()).toEqual([
      `codesign --display --verbose=2 ${program}`,
      `pkgbuild --root WORK/root --install-location / --ownership recommended --identifier ${identifier} --version 1.2.3 --min-os-version 13.5 --scripts WORK/scripts WORK/packages/gatepass-helpers.pkg`,
      'productbuild --distribution WORK/distribution.xml --package-path WORK/packages WORK/unsigned.pkg',
      `productsign --timestamp --sign ${identity} WORK/unsigned.pkg ${output}`,
    ])
    expect(await readFile(output, 'utf8')).toBe('signed product\n')
    expect(await readFile(join(record, 'packages'), 'utf8')).toBe('gatepass-helpers.pkg\n')
    expect(await readFile(join(record, 'distribution.xml'), 'utf8')).toBe(`\
<?xml version="1.0" encoding="utf-8"?>
<installer-gui-script minSpecVersion="2">
  <title>gatepass-helpers 1.2.3</title>
  <options customize="never" require-scripts="false" hostArchitectures="arm64"/>
  <domains enable_anywhere="false" enable_currentUserHome="false" enable_localSystem="true"/>
  <allowed-os-versions><os-version min="13.5"/></allowed-os-versions>
  <choices-outline><line choice="all"/></choices-outline>
  <choice id="all" visible="false"><pkg-ref id="com.vendor.gatepass.gatepass-helpers"/></choice>
  <pkg-ref id="com.vendor.gatepass.gatepass-helpers" version="1.2.3" onConclusion="none">gatepass-helpers.pkg</pkg-ref>
</installer-gui-script>
`)
  })

  test('installs the layout of the archive, under every name', async () => {
    const { record, run } = await startAppleTools()
    const archive = await writeArchive('gatepass-helpers-1.2.3', 'x64')
    const output = join(record, 'made.pkg')
    const built = { ...(await run('build-package.sh', [archive, output])), content: await readFile(output, 'utf8') }
    expect(built).toEqual({ ...done, content: 'product\n' })

    // The installer does the same: it lays the files down and runs the script with the volume as the third argument.
    const volume = join(record, 'root')
    const env = { PATH: '/usr/bin:/bin', GATEPASS_CONFIGURATION_DIRECTORY: join(volume, 'etc') }
    const installer = promisify(execFile)
    const script = join(record, 'scripts', 'postinstall')
    expect(await installer(script, ['made.pkg', '/', `${volume}/`], { env })).toEqual({ stdout: '', stderr: '' })
    const prefix = join(volume, 'opt/gatepass')
    const names = ['first-helper', 'gatepass-helpers', 'second-helper']
    const inodes = await Promise.all(names.map(async (name) => (await stat(join(prefix, name))).ino))
    expect({
      files: (await readdir(prefix)).sort(),
      executables: new Set(inodes).size,
      version: (await installer(join(prefix, 'first-helper'))).stdout,
    }).toEqual({
      files: [...names, 'package', 'versions'].sort(),
      executables: 1,
      version: 'gatepass-helpers 1.2.3\n',
    })

    await installer(join(prefix, 'versions/gatepass-helpers-1.2.3/install.sh'), ['--uninstall', '--prefix', prefix])
    expect(await readdir(join(volume, 'opt'))).toEqual([])
  })
})

/** Upgrades as the Installer does: a file that only the earlier receipt names goes away. */
async function upgradeAsInstaller(volume: string, before: string, next: string): Promise<void> {
  for (const path of await readdir(before, { recursive: true }))
    if (!existsSync(join(next, path))) await rm(join(volume, path), { recursive: true, force: true })
  await cp(next, volume, { recursive: true })
}

test('an upgrade by the installer package keeps the version before alone, and its script goes back to it', async () => {
  const volume = join(await temporaryDirectory(), 'volume')
  const env = { PATH: '/usr/bin:/bin', GATEPASS_CONFIGURATION_DIRECTORY: join(volume, 'etc') }
  const prefix = join(volume, 'opt/gatepass')
  const say = async () => (await promisify(execFile)(join(prefix, 'first-helper'))).stdout
  let before = ''
  for (const version of ['1.2.2', '1.2.3', '1.2.4']) {
    const { record, run } = await startAppleTools()
    const archive = await writeArchive(`gatepass-helpers-${version}`, 'x64')
    expect(await run('build-package.sh', [archive, join(record, 'made.pkg')])).toEqual(done)
    await upgradeAsInstaller(volume, before || join(record, 'root'), join(record, 'root'))
    await promisify(execFile)(join(record, 'scripts', 'postinstall'), ['made.pkg', '/', volume], { env })
    expect(await say()).toBe(`gatepass-helpers ${version}\n`)
    before = join(record, 'root')
  }
  expect(await readdir(join(prefix, 'versions'))).toEqual(['gatepass-helpers-1.2.3', 'gatepass-helpers-1.2.4'])
  const kept = join(prefix, 'versions/gatepass-helpers-1.2.3/install.sh')
  await promisify(execFile)(kept, ['--prefix', prefix], { env })
  expect(await say()).toBe('gatepass-helpers 1.2.3\n')
})

describe('notarization', () => {
  const start = async (answer: object) => {
    const started = await startAppleTools()
    await writeFile(join(started.record, 'answer.json'), `${JSON.stringify(answer)}\n`)
    return started
  }

  test('waits for Apple, staples the ticket and checks it', async () => {
    const { run, readCalls } = await start({ id: 'S1', status: 'Accepted', message: 'Processing complete' })
    expect(await run('notarize.sh', ['made.pkg'], key)).toEqual(done)
    expect(await readCalls()).toEqual([
      `xcrun notarytool submit made.pkg --wait --timeout 1h --output-format json ${signIn}`,
      'xcrun stapler staple made.pkg',
      'xcrun stapler validate made.pkg',
    ])
  })

  test('fails with Apple’s log where Apple does not accept a package, and staples nothing', async () => {
    const answer = { id: 'S1', status: 'Invalid', message: 'Processing complete' }
    const { run, readCalls } = await start(answer)
    expect(await run('notarize.sh', ['made.pkg'], key)).toEqual({
      status: 5,
      stdout: '',
      stderr: `${JSON.stringify(answer)}\nthe log of Apple\nnotarize.sh: Apple did not accept made.pkg\nnotarize.sh: hint: fix what the log above names and build again\n`,
    })
    expect(await readCalls()).toEqual([
      `xcrun notarytool submit made.pkg --wait --timeout 1h --output-format json ${signIn}`,
      `xcrun notarytool log S1 ${signIn}`,
    ])
  })
})

test('a program is signed again under the identifier that its build gave it', async () => {
  const { run, readCalls } = await startAppleTools()
  const env = { SIGN_MACOS_IDENTITY: 'Developer ID Application: Example (A1B2C3D4E5)' }
  expect(await run('sign-programs.sh', ['built/darwin-arm64/gatepass'], env)).toEqual(done)
  expect((await readCalls()).map((call) => call.replace(/--entitlements .*\.plist/, '--entitlements FILE'))).toEqual([
    'codesign --display --verbose=2 built/darwin-arm64/gatepass',
    `codesign --force --options runtime --timestamp --identifier com.vendor.gatepass.gatepass --entitlements FILE --sign ${env.SIGN_MACOS_IDENTITY} built/darwin-arm64/gatepass`,
  ])
})
