import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { packRpmPackage } from '../../pkg-scripts/release/linux/rpm.ts'
import { suiteName } from '../../src/suite/suite-name.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { installedNames, isSame, listFiles, publisher, readVersions, run, writePackage } from './made-up-package.ts'

const writeRpm = (version: string, executable?: string) =>
  writePackage(packRpmPackage, { version, ...(executable !== undefined && { executable }) })

const silent = { stdout: '', stderr: '' }

/** An empty root directory with a package that provides whatever another one requires of the system. */
async function startMachine(provided: readonly string[]) {
  const machine = await temporaryDirectory()
  const rpm = (...args: string[]) =>
    run('rpm', ['--root', machine, '--dbpath', '/var/lib/rpm', '--force-debian', ...args], {
      env: { PATH: '/usr/bin:/bin', HOME: machine },
    })
  await rpm('--install', await writeSystem(provided))
  return { machine, names: join(machine, 'opt', 'gatepass'), rpm }
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

/** The libraries that a package requires, without those that the package manager itself provides. */
async function listRequired(path: string): Promise<string[]> {
  const { stdout } = await run('rpm', ['--query', '--requires', '--package', path])
  return stdout
    .trim()
    .split('\n')
    .filter((one) => !one.startsWith('rpmlib('))
}

/** The minor version of the C library 2 that it needs. */
function findNewestGlibc(required: readonly string[]): number {
  return Math.max(...required.flatMap((one) => /GLIBC_2\.(\d+)/.exec(one)?.slice(1).map(Number) ?? []))
}

describe('the RPM package', () => {
  test('asks for what Node needs, is installed into an empty root, upgraded, downgraded and removed, and the configuration stays', async () => {
    const ours = await writeRpm('1.0.0', inject('suite').helpers)
    const required = await listRequired(ours)
    expect(findNewestGlibc(required)).toBe(28)
    const without = await startMachine(required.filter((one) => !one.startsWith('libatomic')))
    await expect(without.rpm('--install', ours)).rejects.toThrow(
      'libatomic.so.1()(64bit) is needed by gatepass-helpers',
    )

    const { machine, names, rpm } = await startMachine([...required, '/bin/sh'])
    expect(await rpm('--install', ours)).toEqual(silent)
    expect((await readdir(names)).sort()).toEqual(installedNames)
    const [current] = await readVersions(names)
    expect(await readVersions(names)).toEqual([expect.stringMatching(/^0 \d+\.\d+\.\d+$/)])
    const settings = join(machine, 'etc', 'gatepass', 'aws-bedrock-token.json')
    await writeFile(settings, '{}')

    expect(await rpm('--upgrade', await writeRpm('99.0.0'))).toEqual(silent)
    expect(await readVersions(names)).toEqual(['0 99.0.0'])

    expect(await rpm('--upgrade', '--oldpackage', ours)).toEqual(silent)
    expect(await readVersions(names)).toEqual([current])

    expect(await rpm('--erase', suiteName)).toEqual(silent)
    expect(await listFiles(machine)).toEqual([expect.stringMatching(/ etc\/gatepass\/aws-bedrock-token\.json$/)])
    expect(await readdir(join(machine, 'opt'))).toEqual([])
  })

  test('brings every name, links for whoever types one, manual pages and completions', async () => {
    const { machine, rpm } = await startMachine(['/bin/sh'])
    await rpm('--install', await writeRpm('1.0.0'))
    expect(await listFiles(machine)).toEqual(
      [
        ...installedNames.map((name) => `-rwxr-xr-x opt/gatepass/${name}`),
        ...installedNames.map((name) => `lrwxrwxrwx usr/bin/${name} -> /opt/gatepass/${name}`),
        '-rw-r--r-- usr/share/bash-completion/completions/api-key',
        '-rw-r--r-- usr/share/fish/vendor_completions.d/api-key.fish',
        `-rw-r--r-- usr/share/licenses/${suiteName}/THIRD-PARTY-NOTICES.txt`,
        '-rw-r--r-- usr/share/man/man1/api-key.1.gz',
        '-rw-r--r-- usr/share/zsh/site-functions/_api-key',
      ].sort(),
    )
  })

  test('lets the package manager verify every name', async () => {
    const { names, rpm } = await startMachine(['/bin/sh'])
    await rpm('--install', await writeRpm('1.0.0'))
    expect(await rpm('--verify', suiteName)).toEqual(silent)
    for (const name of installedNames) await rm(join(names, name))
    for (const name of installedNames) await writeFile(join(names, name), 'something else', { mode: 0o755 })
    const changed: { stdout: string } = await rpm('--verify', suiteName).catch((error) => error)
    expect([...changed.stdout.matchAll(/^S\.5\S+ +(.*)$/gm)].map(([, path]) => path)).toEqual(
      installedNames.map((name) => `/opt/gatepass/${name}`),
    )
  })

  test('says who made it and for which processor, and is the same in every build', async () => {
    const path = await writePackage(packRpmPackage, { version: '1.0.0-beta.1', target: 'linux-arm64' })
    const form = '%{NAME} %{VERSION} %{ARCH} %{BUILDHOST} %{SOURCERPM}\n%{PACKAGER}\n%{VENDOR}\n%{URL}\n%{LICENSE}'
    const { stdout } = await run('rpm', ['--query', '--queryformat', form, '--package', path])
    expect(stdout.split('\n')).toEqual([
      `${suiteName} 1.0.0~beta.1 aarch64 localhost ${suiteName}-1.0.0~beta.1-1.src.rpm`,
      `"${publisher.publisher}" <${publisher.contact}>`,
      publisher.publisher,
      publisher.helpUrl,
      publisher.licence,
    ])
    expect(await isSame(await writeRpm('1.0.0'), await writeRpm('1.0.0'))).toBe(true)
  })
})
