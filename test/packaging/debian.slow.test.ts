import { readdir, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { bundle } from '../../pkg-scripts/bundle/bundle.ts'
import { createCliProgram, createSuiteProgram } from '../../pkg-scripts/bundle/programs.ts'
import { listComponents, renderNotices } from '../../pkg-scripts/release/components.ts'
import { packDebianPackage } from '../../pkg-scripts/release/linux/debian.ts'
import { buildSharedFiles } from '../../pkg-scripts/release/shared/build-shared-files.ts'
import { suiteName } from '../../src/suite/installed-programs.ts'
import { dependsOf, startMachine, writeDebian } from './debian-machine.ts'
import { installedNames, isSame, publisher, readVersions, run, writePackage } from './made-up-package.ts'

describe('the Debian package', () => {
  test('is installed, upgraded and downgraded with all names, which are one file', async () => {
    const { names, dpkg } = await startMachine()
    const ours = await writeDebian('1.0.0', inject('suite').helpers)
    const install = async (path: string) => {
      const { stderr } = await dpkg('--install', path)
      return { stderr, versions: await readVersions(names) }
    }
    const first = await install(ours)
    const listed = (await readdir(names)).sort()
    const upgrade = await install(await writeDebian('99.0.0'))
    const { versions } = await install(ours)
    const inodes = await Promise.all(installedNames.map(async (name) => (await stat(join(names, name))).ino))
    expect({ first, listed, upgrade, versions, files: new Set(inodes).size }).toEqual({
      first: { stderr: '', versions: [expect.stringMatching(/^0 \d+\.\d+\.\d+$/)] },
      listed: installedNames,
      upgrade: { stderr: '', versions: ['0 99.0.0'] },
      versions: first.versions,
      files: 1,
    })
  })

  test('is purged without the configuration', async () => {
    const { machine, configuration, dpkg } = await startMachine()
    await dpkg('--install', await writeDebian('1.0.0'))
    const settings = join(configuration, 'aws-bedrock-token.json')
    await writeFile(settings, '{}')
    await dpkg('--install', await writeDebian('99.0.0'))
    await dpkg('--purge', suiteName)
    const files = await readdir(machine, { recursive: true })
    expect({
      programs: files.filter((path) => /^(opt|usr\/bin)\//.test(path)),
      settings: await readFile(settings, 'utf8'),
    }).toEqual({ programs: [], settings: '{}' })
  })

  test('leaves every name in /usr/bin as well, as a link that the system resolves', async () => {
    const { machine, dpkg } = await startMachine()
    await dpkg('--install', await writeDebian('1.0.0'))
    const bin = join(machine, 'usr', 'bin')
    const links = (await readdir(bin)).sort().map(async (name) => [name, await readlink(join(bin, name))])
    expect(await Promise.all(links)).toEqual(installedNames.map((name) => [name, `/opt/gatepass/${name}`]))
  })

  test('brings manual pages and completions to where Debian looks for them', async () => {
    const { stdout } = await run('dpkg-deb', ['--contents', await writeDebian('1.0.0')])
    expect([...stdout.matchAll(/\.(\/usr\/share\/(?!doc|lintian).*[^/])$/gm)].map(([, path]) => path)).toEqual([
      '/usr/share/bash-completion/completions/api-key',
      '/usr/share/fish/vendor_completions.d/api-key.fish',
      '/usr/share/man/man1/api-key.1.gz',
      '/usr/share/zsh/vendor-completions/_api-key',
    ])
  })

  test('lets the package manager verify every name', async () => {
    const { names, dpkg } = await startMachine()
    await dpkg('--install', await writeDebian('1.0.0'))
    expect((await dpkg('--verify', suiteName)).stdout).toBe('')
    for (const name of installedNames) await rm(join(names, name))
    for (const name of installedNames) await writeFile(join(names, name), 'something else', { mode: 0o755 })
    const changed = await dpkg('--verify', suiteName).catch(({ stdout }) => ({ stdout }))
    expect(changed.stdout.trim().split('\n').sort()).toEqual(
      installedNames.map((name) => `??5??????   /opt/gatepass/${name}`),
    )
  })

  test('has no unexplained finding of lintian, but for what concerns the executable', async () => {
    const bundles = await Promise.all([createSuiteProgram(), createCliProgram()].map((program) => bundle(program)))
    const notices = renderNotices(listComponents(bundles))
    const { [suiteName]: shared = [] } = await buildSharedFiles({}, new Date(0))
    const path = await writePackage(packDebianPackage, { version: '1.0.0', shared, notices, time: new Date(1.7e12) })
    const { stdout } = await run('lintian', ['--allow-root', '--fail-on', 'error,warning', path])
    expect(stdout).toBe('')
  })

  test('is the same in every build', async () => {
    expect(await isSame(await writeDebian('1.0.0'), await writeDebian('1.0.0'))).toBe(true)
  })

  test('of a pre-release is older than that of the release', async () => {
    const path = await writeDebian('1.0.0-beta.1')
    const { stdout } = await run('dpkg-deb', ['--field', path, 'Version'])
    await run('dpkg', ['--compare-versions', stdout.trim(), 'lt', '1.0.0'])
    expect(stdout).toBe('1.0.0~beta.1\n')
  })

  test('is not installed where a library is missing', async () => {
    const { dpkg } = await startMachine('libatomic1')
    await expect(dpkg('--install', await writeDebian('1.0.0'))).rejects.toThrow(
      'gatepass-helpers depends on libatomic1',
    )
  })

  test('depends on every package whose library it is linked to', async () => {
    const { stdout } = await run('ldd', [inject('suite').helpers])
    const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
    const owners = await Promise.all(libraries.map(findOwner))
    expect([...new Set(owners)].sort()).toEqual(await dependsOf(await writeDebian('1')))
  })

  test('names its publisher as the maintainer, and the page with help', async () => {
    const { stdout } = await run('dpkg-deb', ['--field', await writeDebian('1'), 'Maintainer', 'Homepage'])
    expect(stdout).toBe(`Maintainer: "Desktop team, 100%name" <desktop@example.com>\nHomepage: ${publisher.helpUrl}\n`)
  })
})

/** Finds the package that a library belongs to; the package manager knows its path with or without `/usr`. */
async function findOwner(library: string): Promise<string> {
  const path = await realpath(library)
  const asked = await Promise.any([path, path.replace(/^\/usr/, '')].map((one) => run('dpkg-query', ['--search', one])))
  return asked.stdout.replace(/:.*/s, '')
}
