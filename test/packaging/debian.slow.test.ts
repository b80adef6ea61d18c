import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, test } from 'vitest'
import { debianArchitectures, listDebianEntries, renderDebianPackage } from '../../pkg-scripts/release/debian.ts'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { suiteName } from '../../src/suite/suite-name.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const run = promisify(execFile)
const names = [...listHelpers(), suiteName].sort()
const maintainer = 'Desktop team <desktop@example.com>'

/** Writes a package of that version. Without an executable, its executable is a script that prints the version. */
async function writePackage(version: string, executable?: Buffer): Promise<string> {
  const content = executable ?? Buffer.from(`#!/bin/sh\necho x ${version} x\n`)
  const [summary, architecture] = ['made by a test', debianArchitectures[process.arch]!]
  const parts = { executable: content, notices: Buffer.from('none\n'), name: suiteName, links: listHelpers() }
  const described = { name: suiteName, version, architecture, maintainer, summary, entries: listDebianEntries(parts) }
  const path = join(await temporaryDirectory(), 'package.deb')
  await writeFile(path, await renderDebianPackage(described, new Date(0), 0))
  return path
}

/** A root directory for the package manager, in which the packages that ours depends on are installed. */
async function startMachine(missing?: string) {
  const machine = await temporaryDirectory()
  const state = join(machine, 'var', 'lib', 'dpkg')
  for (const part of ['info', 'updates', 'triggers']) await mkdir(join(state, part), { recursive: true })
  const needed = (await dependsOf(await writePackage('1'))).filter((name) => name !== missing)
  const { stdout } = await run('dpkg-query', ['--status', ...needed])
  await writeFile(join(state, 'status'), stdout.replaceAll(/^(Pre-)?(Depends|Breaks|Conflicts|Recommends):.*\n/gm, ''))
  for (const name of [...stdout.matchAll(/^Package: (.*)$/gm)].map((match) => match[1]))
    for (const file of [`${name}.list`, `${name}:${debianArchitectures[process.arch]}.list`])
      await writeFile(join(state, 'info', file), '')
  const bin = join(machine, 'usr', 'bin')
  return {
    bin,
    configuration: join(machine, 'etc', 'gatepass'),
    dpkg: (...args: string[]) =>
      run('dpkg', [`--root=${machine}`, ...args], { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } }),
    /** The distinct statuses and versions that all names print. */
    readVersions: async () => {
      const said = await Promise.all(names.map((name) => runExecutable(join(bin, name), { argv: ['--version'] })))
      return [...new Set(said.map(({ status, stdout }) => `${status} ${stdout.split(' ')[1]}`.trim()))]
    },
  }
}

async function dependsOf(path: string): Promise<string[]> {
  const { stdout } = await run('dpkg-deb', ['--field', path, 'Depends'])
  return stdout
    .trim()
    .split(', ')
    .map((one) => one.replace(/ .*/, ''))
}

describe('the Debian package', () => {
  test('is installed, upgraded, downgraded and purged with all names, and the configuration stays', async () => {
    const { bin, configuration, dpkg, readVersions } = await startMachine()
    const ours = await writePackage('1.0.0', await readFile(inject('suite').helpers))
    expect((await dpkg('--install', ours)).stderr).toBe('')
    expect((await readdir(bin)).sort()).toEqual(names)
    const [current] = await readVersions()
    expect(await readVersions()).toEqual([expect.stringMatching(/^0 \d+\.\d+\.\d+$/)])
    const settings = join(configuration, 'aws-bedrock-token.json')
    await writeFile(settings, '{}')

    expect((await dpkg('--install', await writePackage('99.0.0'))).stderr).toBe('')
    expect(await readVersions()).toEqual(['0 99.0.0'])

    await dpkg('--install', ours)
    expect(await readVersions()).toEqual([current])
    expect(new Set(await Promise.all(names.map(async (name) => (await stat(join(bin, name))).ino))).size).toBe(1)

    await dpkg('--purge', suiteName)
    expect(await readdir(bin).catch(() => [])).toEqual([])
    expect(await readFile(settings, 'utf8')).toBe('{}')
  })

  test('lets the package manager verify every name', async () => {
    const { bin, dpkg } = await startMachine()
    await dpkg('--install', await writePackage('1.0.0'))
    expect((await dpkg('--verify', suiteName)).stdout).toBe('')
    for (const name of names) await rm(join(bin, name))
    for (const name of names) await writeFile(join(bin, name), 'something else', { mode: 0o755 })
    const changed = await dpkg('--verify', suiteName).catch(({ stdout }) => ({ stdout }))
    expect(changed.stdout.trim().split('\n').sort()).toEqual(names.map((name) => `??5??????   /usr/bin/${name}`))
  })

  test('is not installed where a library is missing', async () => {
    const { dpkg } = await startMachine('libatomic1')
    await expect(dpkg('--install', await writePackage('1.0.0'))).rejects.toThrow(
      'gatepass-helpers depends on libatomic1',
    )
  })

  test('depends on every package whose library it is linked to', async () => {
    const { stdout } = await run('ldd', [inject('suite').helpers])
    const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
    const owners = await Promise.all(libraries.map(findOwner))
    expect([...new Set(owners)].sort()).toEqual(await dependsOf(await writePackage('1')))
  })

  test('names its maintainer', async () => {
    const { stdout } = await run('dpkg-deb', ['--field', await writePackage('1'), 'Maintainer'])
    expect(stdout).toBe(`${maintainer}\n`)
  })
})

/** The package that a library belongs to; the package manager knows its path with or without `/usr`. */
async function findOwner(library: string): Promise<string> {
  const path = await realpath(library)
  const asked = await Promise.any([path, path.replace(/^\/usr/, '')].map((one) => run('dpkg-query', ['--search', one])))
  return asked.stdout.replace(/:.*/s, '')
}
