import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { StoreFile, StoreInstaller, StoreRelease } from './store-release.ts'

/** Reads the facts for stores from the signed files of a release. */
export async function readStoreRelease(directory: string, homepage: string): Promise<StoreRelease> {
  const version = readVersion(directory)
  const toName = (target: string, ending: string) => `gatepass-${version}-${target}.${ending}`
  const [arm, intel] = ['darwin-arm64', 'darwin-x64'].map((target) => readFile(directory, toName(target, 'tar.xz')))
  const [x64, arm64] = await Promise.all(
    ['win32-x64', 'win32-arm64'].map(async (target) => {
      const file = readFile(directory, toName(target, 'msi'))
      return { ...file, ...(await readInstaller(join(directory, file.name))) }
    }),
  )
  const licence = readLicence(join(directory, `gatepass-${version}.cdx.json`))
  return {
    version,
    homepage,
    licence,
    archives: { arm: arm!, intel: intel! },
    installers: { x64: x64!, arm64: arm64! },
  }
}

/** Reads the version from the name of the bill of materials, of which a release has one. */
function readVersion(directory: string): string {
  const versions = readdirSync(directory).flatMap((name) => /^gatepass-(.+)\.cdx\.json$/.exec(name)?.[1] ?? [])
  if (versions.length === 1) return versions[0]!
  throw new HelperError(
    'not-configured',
    `${directory} holds ${versions.length} files gatepass-VERSION.cdx.json instead of one`,
    'name the folder that npm run release has filled: --release DIRECTORY',
  )
}

function readFile(directory: string, name: string): StoreFile {
  const path = join(directory, name)
  if (!existsSync(path)) {
    const hint = 'put the files of every target for macOS and Windows there: an entry of a store names all of them'
    throw new HelperError('not-configured', `${path} does not exist`, hint)
  }
  const content = readFileSync(path)
  return { name, sha256: hash('sha256', content) }
}

/** Reads the table of properties, whose first three lines are its head. */
async function readInstaller(path: string): Promise<StoreInstaller> {
  const { stdout } = await promisify(execFile)('msiinfo', ['export', path, 'Property'])
  const rows = stdout.split(/\r?\n/).slice(3)
  const properties = new Map(rows.map((row) => row.split('\t') as [string, string]))
  const read = (name: string) => properties.get(name) ?? ''
  return {
    displayName: read('ProductName'),
    publisher: read('Manufacturer'),
    productCode: read('ProductCode'),
    upgradeCode: read('UpgradeCode'),
  }
}

/** Reads the licence from the bill of materials, which has it from the vendor setting. */
function readLicence(path: string): string {
  const { metadata } = JSON.parse(readFileSync(path, 'utf8')) // what `npm run release` has written
  return metadata.component.licenses[0].expression
}
