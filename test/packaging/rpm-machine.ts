import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { run } from './made-up-package.ts'

/** Prepares an empty root directory for RPM, with a package that provides whatever another one requires of the system. */
export async function startRpmMachine(provided: readonly string[]) {
  const [machine, home] = [await temporaryDirectory(), await temporaryDirectory()]
  // That of Debian keeps its database in the home directory, and dnf and zypper look where it does.
  await writeFile(join(home, '.rpmmacros'), '%_dbpath /var/lib/rpm\n')
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: home, LC_ALL: 'C.UTF-8' }
  const rpm = (...args: string[]) => run('rpm', ['--root', machine, '--force-debian', ...args], { env })
  await rpm('--install', await writeSystem(provided))
  const options = {
    // The cache of the machine itself is not for a test to fill.
    dnf: ['--installroot', machine, '--releasever=9', '--setopt=cachedir=/var/cache/dnf', '--assumeyes'],
    zypper: ['--root', machine, '--non-interactive', '--gpg-auto-import-keys'],
  }
  return {
    machine,
    names: join(machine, 'opt', 'gatepass'),
    rpm,
    /** Runs another package manager for this root. */
    manage: (manager: keyof typeof options, ...args: string[]) => run(manager, [...options[manager], ...args], { env }),
    /** Copies the file of a repository to where that package manager looks for it. */
    addRepository: async (manager: keyof typeof options, file: string) => {
      const folder = join(machine, 'etc', { dnf: 'yum.repos.d', zypper: 'zypp/repos.d' }[manager])
      await mkdir(folder, { recursive: true })
      await cp(file, join(folder, 'gatepass.repo'))
    },
  }
}

async function writeSystem(provided: readonly string[]): Promise<string> {
  const directory = await temporaryDirectory()
  const file = join(directory, 'system.spec')
  const provides = provided.map((one) => `Provides: ${one}\n`).join('')
  await writeFile(
    file,
    `Name: system\nVersion: 1\nRelease: 1\nSummary: s\nLicense: none\nBuildArch: noarch\n${provides}%description\ns\n%files\n`,
  )
  const defines = ['_topdir', '_rpmdir'].flatMap((name) => ['--define', `${name} ${directory}`])
  await run('rpmbuild', ['-bb', ...defines, file], { env: { PATH: '/usr/bin:/bin', HOME: directory } })
  return join(directory, 'noarch', 'system-1-1.noarch.rpm')
}
