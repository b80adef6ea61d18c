import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { packRpmPackage } from '../../pkg-scripts/release/linux/rpm.ts'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { installedNames, isSame, listFiles, publisher, readVersions, run, writePackage } from './made-up-package.ts'
import { startRpmMachine } from './rpm-machine.ts'

const writeRpm = (version: string, more: { readonly executable?: string; readonly directory?: string } = {}) =>
  writePackage(packRpmPackage, { version, ...more })

const silent = { stdout: '', stderr: '' }

/** Lists the libraries that a package requires, without those that the package manager itself provides. */
async function listRequired(path: string): Promise<string[]> {
  const { stdout } = await run('rpm', ['--query', '--requires', '--package', path])
  return stdout
    .trim()
    .split('\n')
    .filter((one) => !one.startsWith('rpmlib('))
}

/** Finds the minor version of the C library 2 that it needs. */
function findNewestGlibc(required: readonly string[]): number {
  return Math.max(...required.flatMap((one) => /GLIBC_2\.(\d+)/.exec(one)?.slice(1).map(Number) ?? []))
}

describe('the RPM package', () => {
  describe('with the helpers themselves', () => {
    let directory = ''
    let ours = ''
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'gatepass-rpm-'))
      ours = await writeRpm('1.0.0', { executable: inject('suite').helpers, directory })
    })
    afterAll(() => rm(directory, { recursive: true, force: true }))

    test('asks for the libraries of Node, and is not installed without them', async () => {
      const required = await listRequired(ours)
      expect(findNewestGlibc(required)).toBe(28)
      const { rpm } = await startRpmMachine(required.filter((one) => !one.startsWith('libatomic')))
      await expect(rpm('--install', ours)).rejects.toThrow('libatomic.so.1()(64bit) is needed by gatepass-helpers')
    })

    test('is installed into an empty root, upgraded and downgraded with all names', async () => {
      const { names, rpm } = await startRpmMachine([...(await listRequired(ours)), '/bin/sh'])
      const change = async (...args: string[]) => ({ said: await rpm(...args), versions: await readVersions(names) })
      const first = await change('--install', ours)
      const listed = (await readdir(names)).sort()
      const upgrade = await change('--upgrade', await writeRpm('99.0.0'))
      expect({ first, listed, upgrade, downgrade: await change('--upgrade', '--oldpackage', ours) }).toEqual({
        first: { said: silent, versions: [expect.stringMatching(/^0 \d+\.\d+\.\d+$/)] },
        listed: installedNames,
        upgrade: { said: silent, versions: ['0 99.0.0'] },
        downgrade: first,
      })
    })
  })

  test('is removed without the configuration', async () => {
    const { machine, rpm } = await startRpmMachine(['/bin/sh'])
    await rpm('--install', await writeRpm('1.0.0'))
    const settings = 'etc/gatepass/aws-bedrock-token.json'
    await writeFile(join(machine, settings), '{}', { mode: 0o644 })
    await rpm('--upgrade', await writeRpm('99.0.0'))
    expect(await rpm('--erase', suiteName)).toEqual(silent)
    expect({ files: await listFiles(machine), directories: await readdir(join(machine, 'opt')) }).toEqual({
      files: [`-rw-r--r-- ${settings}`],
      directories: [],
    })
  })

  test('brings every name, links, manual pages and completions', async () => {
    const { machine, rpm } = await startRpmMachine(['/bin/sh'])
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
    const { names, rpm } = await startRpmMachine(['/bin/sh'])
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
