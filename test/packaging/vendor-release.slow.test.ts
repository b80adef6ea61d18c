import { lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCliProgram, createSuiteProgram } from '../../pkg-scripts/bundle/programs.ts'
import { hostTarget, isWindows } from '../../pkg-scripts/executable/runtimes.ts'
import { buildRelease } from '../../pkg-scripts/release/build-release.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import ownSetting from '../../src/vendor.json' with { type: 'json' }
import { version } from '../../src/version.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { run } from './made-up-package.ts'

const canary = {
  name: 'Canary Works',
  envPrefix: 'CANARY',
  headerPrefix: 'canary',
  cloudWord: 'Cage',
  keyPrefix: 'ck-',
  publisher: 'Canary Desktop Ltd.',
  contact: 'desk@canary.test',
  helpUrl: 'https://help.canary.test/gatepass',
  licence: 'LicenseRef-Canary',
}

/** Everything that a release for another vendor publishes, each file unpacked into a folder of its name. */
const unpacked = join(root, 'dist', 'test', 'canary')
const targets = [hostTarget, 'win32-x64']
/** In one format of each platform the executables are real; to compress them in all others takes minutes and shows nothing more. */
const withoutOtherFormats = ['tar.xz', 'rpm', 'oci', 'msi']

beforeAll(async () => {
  await rm(unpacked, { recursive: true, force: true })
  await mkdir(unpacked, { recursive: true })
  const vendorFile = join(unpacked, '..', 'canary.json')
  await writeFile(vendorFile, JSON.stringify(canary))
  const built = await writeStandIns()
  for await (const { name, content } of buildRelease(targets, { vendorFile }, { compression: 0, built }))
    await unpack(name, content)
  const whole = buildRelease(targets, { vendorFile }, { compression: 0, without: withoutOtherFormats })
  for await (const { name, content } of whole) await unpack(`whole-${name}`, content)
})

/** Writes two mebibytes in place of each executable: the window of an archive is at least one. Returns the folder of all targets. */
async function writeStandIns(): Promise<string> {
  const built = join(unpacked, 'made-up')
  for (const target of targets) {
    await mkdir(join(built, target), { recursive: true })
    for (const { name } of [createSuiteProgram(), createCliProgram()])
      await writeFile(join(built, target, isWindows(target) ? `${name}.exe` : name), Buffer.alloc(2 ** 21))
  }
  return built
}

// It holds several times what is published.
afterAll(() => rm(unpacked, { recursive: true }))

/** The file itself stays, because its own tables and headers are read as well. */
async function unpack(name: string, content: Buffer): Promise<void> {
  const file = join(unpacked, name)
  await writeFile(file, content)
  const command = `mkdir "$1.d" && cd "$1.d" && case $1 in
    *.tar.xz) tar -xf "$1" ;;
    *.zip) unzip -q "$1" ;;
    *.deb) dpkg-deb --raw-extract "$1" . ;;
    *.rpm) rpm2archive - <"$1" | tar -xz; rpm --query --info --package "$1" >info ;;
    *.msi) msiextract "$1" >listed; msiinfo export "$1" Property >properties; msiinfo suminfo "$1" >summary ;;
  esac`
  await run('bash', ['-euo', 'pipefail', '-c', command, 'unpack', file])
}

async function listUnpacked(): Promise<string[]> {
  const paths = (await readdir(unpacked, { recursive: true })).sort()
  const files = await Promise.all(
    paths.map(async (path) => ((await lstat(join(unpacked, path))).isFile() ? [path] : [])),
  )
  return files.flat()
}

async function readContent(path: string): Promise<Buffer> {
  const content = await readFile(join(unpacked, path))
  return path.endsWith('.gz') ? gunzipSync(content) : content
}

/** The names in which the pages of this tree are written. */
const namesOfPages = { contact: 'maintainers@gatepass.example', codeSigningIdentifier: 'com.vendor.gatepass' }

const ours = [
  ...new Set([ownSetting.publisher, ownSetting.contact, ownSetting.helpUrl, ...Object.values(namesOfPages)]),
  new URL(ownSetting.helpUrl).host,
]

test('no file of a release for another vendor names whoever publishes this tree', async () => {
  const found: string[] = []
  const paths = await listUnpacked()
  for (const path of paths) {
    const content = await readContent(path)
    for (const name of ours)
      for (const encoding of ['utf8', 'utf16le'] as const)
        if (content.includes(Buffer.from(name, encoding))) found.push(`${path}: ${name} (${encoding})`)
  }
  expect(found).toEqual([])
  // The files that were looked through include every kind.
  for (const kind of ['.1.gz', '.1', '.md', '.exe', 'install.sh', 'install.cmd', 'control', 'properties', 'info'])
    expect(
      paths.some((path) => path.endsWith(kind)),
      kind,
    ).toBe(true)
})

test('each kind of file names the publisher of that release where its readers look', async () => {
  const { publisher, contact, helpUrl, licence } = canary
  const folderOf = (ending: string) => `gatepass${ending}.d`
  const said: readonly (readonly [path: string, words: readonly string[]])[] = [
    [
      `${folderOf(`_${version}_${process.arch === 'x64' ? 'amd64' : 'arm64'}.deb`)}/DEBIAN/control`,
      [`Maintainer: ${publisher} <${contact}>`, `Homepage: ${helpUrl}`],
    ],
    [
      `${folderOf(`-${version}-1.${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.rpm`)}/info`,
      [publisher, contact, helpUrl, licence],
    ],
    [
      `${folderOf(`-${version}-win32-x64.msi`)}/properties`,
      [`Manufacturer\t${publisher}`, `ARPCONTACT\t${contact}`, `ARPHELPLINK\t${helpUrl}`],
    ],
    [
      `${folderOf(`-${version}-${hostTarget}.tar.xz`)}/gatepass-${version}/share/man/man1/gatepass.1`,
      [publisher, contact.replaceAll('-', '\\-'), helpUrl],
    ],
    [
      `${folderOf(`-${version}-${hostTarget}.tar.xz`)}/gatepass-${version}/SECURITY.md`,
      [`Write to ${contact}`, 'com.canary-works.gatepass.gatepass-helpers'],
    ],
    [`gatepass-${version}.cdx.json`, [publisher, contact, helpUrl, licence]],
  ]
  for (const [path, words] of said) {
    const content = (await readContent(path)).toString()
    expect(
      words.filter((word) => !content.includes(word)),
      path,
    ).toEqual([])
  }
})

test('a release for a vendor that does not say who publishes it is refused, with what is missing', async () => {
  const vendorFile = join(await temporaryDirectory(), 'vendor.json')
  await writeFile(vendorFile, JSON.stringify({ ...canary, contact: undefined, helpUrl: undefined }))
  await expect(buildRelease([hostTarget], { vendorFile }, { compression: 0 }).next()).rejects.toEqual(
    new HelperError(
      'not-configured',
      `${vendorFile} does not say who publishes these packages: it has no contact, helpUrl`,
      'add your own to the file; docs/vendor.md says what they are',
    ),
  )
})

test('SECURITY.md of this tree is written in the names that a release replaces', async () => {
  const page = await readFile(join(root, 'SECURITY.md'), 'utf8')
  expect(Object.values(namesOfPages).filter((name) => !page.includes(name))).toEqual([])
})
