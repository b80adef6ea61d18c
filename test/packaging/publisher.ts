import { copyFile, mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packRpmPackage } from '../../pkg-scripts/release/linux/rpm.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { run, writePackage } from './made-up-package.ts'

/** Starts a publisher with a key of its own, and the directory that it publishes, for clients under that address or its own. */
export async function startPublisher(address?: string) {
  const directory = await temporaryDirectory()
  const gnupg = join(directory, 'gnupg')
  await mkdir(gnupg, { mode: 0o700 })
  const env = { PATH: process.env.PATH ?? '', HOME: directory, GNUPGHOME: gnupg, LC_ALL: 'C' }
  const make = ['--quick-generate-key', 'Publisher <publisher@example.com>', 'rsa3072', 'sign', 'never']
  await run('gpg', ['--batch', '--passphrase', '', ...make], { env })
  const { stdout } = await run('gpg', ['--list-keys', '--with-colons'], { env })
  const key = /^fpr:+([0-9A-F]{40}):/m.exec(stdout)?.[1] ?? ''
  const output = join(directory, 'served')
  const url = address ?? pathToFileURL(output).href
  const script = join(root, 'pkg-scripts', 'release', 'repository', 'add-to-repositories.ts')
  /** Publishes these packages, beside what was published before. */
  const publish = async (...paths: string[]) => {
    const packages = await temporaryDirectory()
    for (const path of paths) await copyFile(path, join(packages, basename(path)))
    const argv = [script, '--key', key, '--url', url, '--packages', packages, '--output', output, '--publisher', 'Tést']
    const { stderr } = await run(process.execPath, argv, { env })
    return stderr
  }
  return { directory, output, env, publish, endAgent: () => run('gpgconf', ['--kill', 'all'], { env }) }
}

/** Writes a package for RPM; gives its path. */
export const writeRpm = (version: string) => writePackage(packRpmPackage, { version })
