import { hash } from 'node:crypto'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianArchitectures } from '../linux/debian.ts'
import { compressXz } from '../render-archive.ts'
import { addPackages } from './add-packages.ts'
import { renderPublicKey, signFile } from './open-pgp.ts'
import { keyFile, type Repository } from './repository.ts'
import { runTool } from './run-tool.ts'

/**
 * Adds Debian packages to a repository for apt. Every version stays, so that a desktop can go back. The index is written anew and signed,
 * with copies by digest, so that a reader of the earlier index still finds its files.
 */
export async function writeAptRepository(to: Repository): Promise<void> {
  const directory = join(to.output, 'apt')
  await addPackages(to.packages, join(directory, 'pool', component), {
    ending: '.deb',
    add: copyFile,
    digest: digestFile,
  })
  const index = join(directory, 'dists', suite)
  for (const architecture of architectures) await writeIndex(directory, index, architecture)
  await writeRelease(to, directory, index)
  const key = await renderPublicKey(to.key)
  await writeFile(join(to.output, keyFile), key)
  await writeFile(join(directory, 'gatepass.sources'), renderSources(to.url, key))
  await writeFile(join(directory, 'gatepass.list'), renderList(to.url))
}

const [suite, component] = ['stable', 'main']
const architectures = Object.values(debianArchitectures)

async function digestFile(path: string): Promise<string> {
  return hash('sha256', await readFile(path))
}

async function writeIndex(directory: string, index: string, architecture: string): Promise<void> {
  const folder = join(index, component, `binary-${architecture}`)
  await mkdir(folder, { recursive: true })
  const list = await archive(directory, ['--arch', architecture, 'packages', `pool/${component}`])
  await writeFile(join(folder, 'Packages'), list)
  await writeFile(join(folder, 'Packages.xz'), await compressXz(Buffer.from(list), 6))
}

async function writeRelease({ key, publisher }: Repository, directory: string, index: string): Promise<void> {
  const signed = ['InRelease', 'Release.gpg', 'Release']
  // Otherwise the new index would list the files of the old one.
  for (const file of signed) await rm(join(index, file), { force: true })
  const fields = {
    Origin: publisher,
    Label: publisher,
    Suite: suite,
    Codename: suite,
    Components: component,
    Architectures: architectures.join(' '),
    'Acquire-By-Hash': 'yes',
  }
  const options = Object.entries(fields).flatMap(([name, value]) => [
    '-o',
    `APT::FTPArchive::Release::${name}=${value}`,
  ])
  const byDigest = ['-o', 'APT::FTPArchive::DoByHash=true']
  const release = join(index, 'Release')
  await writeFile(release, await archive(directory, [...options, ...byDigest, 'release', `dists/${suite}`]))
  await signFile(release, { key, form: 'clear', output: join(index, 'InRelease') })
  await signFile(release, { key, form: 'detached', output: join(index, 'Release.gpg') })
}

/** Digests that can be forged are omitted. */
async function archive(directory: string, args: readonly string[]): Promise<string> {
  const without = ['MD5', 'SHA1'].flatMap((digest) => ['-o', `APT::FTPArchive::${digest}=false`])
  return runTool('apt-ftparchive', [...without, ...args], directory)
}

/** Renders the file that a desktop puts into `/etc/apt/sources.list.d/`: where the repository is, and the key that it is signed by. */
function renderSources(url: string, key: string): string {
  const lines = key.trimEnd().split('\n')
  return `Types: deb
URIs: ${url}/apt
Suites: ${suite}
Components: ${component}
Architectures: ${architectures.join(' ')}
Signed-By:
${lines.map((line) => ` ${line || '.'}\n`).join('')}`
}

/**
 * Renders the file that a desktop puts into `/etc/apt/sources.list.d/` if its apt is older than 2.4. Such an apt mistakes the key in the
 * other file for a fingerprint, and then reads no source at all. This file names the path of the key, in a folder that those systems have.
 */
function renderList(url: string): string {
  return `deb [arch=${architectures.join(',')} signed-by=/usr/share/keyrings/${keyFile}] ${url}/apt ${suite} ${component}\n`
}
