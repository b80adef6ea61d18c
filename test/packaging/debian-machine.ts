import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { debianArchitectures, packDebianPackage } from '../../pkg-scripts/release/linux/debian.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { run, writePackage } from './made-up-package.ts'

/** This machine's, as Debian names it. */
const architecture = debianArchitectures[`linux-${process.arch}`]!

/** Writes a package for Debian; gives its path. */
export function writeDebian(version: string, executable?: string): Promise<string> {
  return writePackage(packDebianPackage, { version, ...(executable !== undefined && { executable }) })
}

/** Prepares a root directory for the package manager, in which the packages that ours depends on are installed. */
export async function startMachine(missing?: string) {
  const machine = await temporaryDirectory()
  const state = join(machine, 'var', 'lib', 'dpkg')
  for (const part of ['info', 'updates', 'triggers']) await mkdir(join(state, part), { recursive: true })
  const needed = (await dependsOf(await writeDebian('1'))).filter((name) => name !== missing)
  const { stdout } = await run('dpkg-query', ['--status', ...needed])
  await writeFile(join(state, 'status'), stdout.replaceAll(/^(Pre-)?(Depends|Breaks|Conflicts|Recommends):.*\n/gm, ''))
  for (const name of [...stdout.matchAll(/^Package: (.*)$/gm)].map((match) => match[1]))
    for (const file of [`${name}.list`, `${name}:${architecture}.list`]) await writeFile(join(state, 'info', file), '')
  return {
    machine,
    names: join(machine, 'opt', 'gatepass'),
    configuration: join(machine, 'etc', 'gatepass'),
    dpkg: (...args: string[]) =>
      run('dpkg', [`--root=${machine}`, ...args], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } }),
    apt: async (...args: string[]) => {
      for (const part of [
        'etc/apt/apt.conf.d',
        'etc/apt/preferences.d',
        'var/cache/apt/archives/partial',
        'var/log/apt',
      ])
        await mkdir(join(machine, part), { recursive: true })
      const settings = [
        `Dir=${machine}`,
        `Dir::State::status=${join(state, 'status')}`,
        'APT::Sandbox::User=root',
        `DPkg::Options::=--root=${machine}`,
      ]
      const options = settings.flatMap((setting) => ['-o', setting])
      const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
      return run('apt-get', ['--yes', ...options, ...args], { env })
    },
  }
}

/** Returns the names of packages that a package depends on. */
export async function dependsOf(path: string): Promise<string[]> {
  const { stdout } = await run('dpkg-deb', ['--field', path, 'Depends'])
  return stdout
    .trim()
    .split(', ')
    .map((one) => one.replace(/ .*/, ''))
}
