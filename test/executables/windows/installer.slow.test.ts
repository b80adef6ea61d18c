import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { prepareRuntime } from '../../../pkg-scripts/executable/prepare-runtime.ts'
import { renderInstaller } from '../../../pkg-scripts/release/render-installer.ts'
import { listHelpers } from '../../../pkg-scripts/tree.ts'
import { suiteName } from '../../../src/suite/suite-name.ts'
import { olderRuntimes } from '../older-runtimes.ts'
import { startWindowsMachine, type WindowsMachine } from './windows-machine.ts'

const links = listHelpers().map((name) => `${name}.exe`)
const names = [`${suiteName}.exe`, ...links].sort()

let machine: WindowsMachine
beforeAll(async () => {
  machine = await startWindowsMachine()
})
afterAll(() => machine.close())

const pathIn = (...parts: string[]) => join(machine.directory, ...parts)

/** Writes an unpacked archive of that version. A Node runtime replaces the executable, because it answers `--version` too. */
async function unpack(version: string, executable?: string, name: string = suiteName): Promise<string> {
  const folder = `unpacked ${name} ${version}`
  await rm(pathIn(folder), { recursive: true, force: true }) // of an attempt before
  await mkdir(pathIn(folder))
  const { file, text } = renderInstaller('win32', { name, version, links: name === suiteName ? links : [] })
  await writeFile(pathIn(folder, file), text)
  await writeFile(pathIn(folder, 'THIRD-PARTY-NOTICES.txt'), version)
  if (executable === undefined) await link(await copyRuntime(folder), pathIn(folder, `${name}.exe`))
  else await writeFile(pathIn(folder, `${name}.exe`), executable)
  return `${folder}\\${file}`
}

async function copyRuntime(name: string): Promise<string> {
  const path = pathIn(`${name}.exe`)
  await writeFile(path, await readFile(await prepareRuntime(olderRuntimes.windows)))
  return path
}

async function install(script: string, prefix: string, ...more: string[]) {
  // A batch file is read in the system's own character set, variables are not.
  await writeFile(pathIn('run.cmd'), `@"%~dp0%SCRIPT%" /prefix "%~dp0%PREFIX%" ${more.join(' ')}\r\n`)
  const streams = { stdout: 'out.txt', stderr: 'err.txt' }
  const status = await machine.runScript('run.cmd', { env: { SCRIPT: script, PREFIX: prefix }, ...streams })
  const [stdout, stderr] = await Promise.all(['out.txt', 'err.txt'].map((name) => readFile(pathIn(name), 'utf8')))
  return { status, stdout, stderr }
}

const succeeded = { status: 0, stdout: '', stderr: '' }
const inodesIn = async (prefix: string) => {
  const files = (await readdir(pathIn(prefix))).filter((name) => name.endsWith('.exe'))
  expect(files.sort()).toEqual(names)
  return new Set(await Promise.all(files.map(async (name) => (await stat(pathIn(prefix, name))).ino)))
}

describe('install.cmd', () => {
  test('installs every name, upgrades and downgrades them, and removes them', async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('2.0.0')]
    expect(await install(one, 'Gäte pass')).toEqual(succeeded)
    const first = await inodesIn('Gäte pass')
    expect(first.size).toBe(1)
    await writeFile(pathIn('Gäte pass', 'aws-bedrock-token.json'), '{}')

    expect(await install(two, 'Gäte pass')).toEqual(succeeded)
    const second = await inodesIn('Gäte pass')
    expect(second.size).toBe(1)
    expect(second).not.toEqual(first)
    expect((await readdir(pathIn('Gäte pass'))).filter((name) => /\.(new|old)$/.test(name))).toEqual([])

    expect(await install(`Gäte pass\\versions\\${suiteName}-1.0.0\\install.cmd`, 'Gäte pass')).toEqual(succeeded)
    expect(await inodesIn('Gäte pass')).toEqual(first)

    expect(await install(two, 'Gäte pass', '/uninstall')).toEqual(succeeded)
    expect(await readdir(pathIn('Gäte pass'))).toEqual(['aws-bedrock-token.json'])
  })

  test('removes one program and leaves the other, whose name begins alike', async () => {
    const command = await unpack('1.0.0', undefined, 'gatepass')
    expect(await install(command, 'both')).toEqual(succeeded)
    const helpers = await unpack('5.0.0')
    expect(await install(helpers, 'both')).toEqual(succeeded)
    // A file that a program left behind because it ran during an upgrade.
    await writeFile(pathIn('both', 'gatepass.exe.old'), '')

    expect(await install(command, 'both', '/uninstall')).toEqual(succeeded)
    expect((await readdir(pathIn('both'))).sort()).toEqual([...names, 'versions'].sort())
    expect(await readdir(pathIn('both', 'versions'))).toEqual([`${suiteName}-5.0.0`, `${suiteName}.current`])

    expect(await install(command, 'both')).toEqual(succeeded)
    expect(await install(helpers, 'both', '/uninstall')).toEqual(succeeded)
    expect((await readdir(pathIn('both'))).sort()).toEqual(['gatepass.exe', 'versions'])
    expect((await readdir(pathIn('both', 'versions'))).sort()).toEqual(['gatepass-1.0.0', 'gatepass.current'])
  })

  test('keeps the version before, and removes those before that unless one of their names is left', async () => {
    await rm(pathIn('upgraded'), { recursive: true, force: true }) // of an attempt before
    const versions = async () =>
      (await readdir(pathIn('upgraded', 'versions'))).map((name) => name.slice(suiteName.length + 1)).sort()
    const scripts = [await unpack('1.0.0'), await unpack('2.0.0'), await unpack('3.0.0')]
    for (const script of scripts.slice(0, 2)) expect(await install(script, 'upgraded')).toEqual(succeeded)
    expect(await versions()).toEqual(['1.0.0', '2.0.0', 'current'])
    // A second run of one version does not take itself for the one before.
    for (const script of [scripts[1]!, scripts[2]!]) expect(await install(script, 'upgraded')).toEqual(succeeded)
    expect(await versions()).toEqual(['2.0.0', '3.0.0', 'current'])
    const kept = `upgraded\\versions\\${suiteName}-2.0.0\\install.cmd`
    expect(await install(kept, 'upgraded')).toEqual(succeeded)
    expect(await versions()).toEqual(['2.0.0', '3.0.0', 'current'])
    expect((await inodesIn('upgraded')).size).toBe(1)

    // A name that newer versions do not have.
    await writeFile(pathIn('upgraded', 'versions', `${suiteName}-3.0.0`, 'names'), 'former.exe\r\n')
    await writeFile(pathIn('upgraded', 'former.exe'), '')
    for (const version of ['4.0.0', '5.0.0'])
      expect(await install(await unpack(version), 'upgraded')).toEqual(succeeded)
    expect(await versions()).toEqual(['3.0.0', '4.0.0', '5.0.0', 'current'])
    expect(await install(scripts[0]!, 'upgraded', '/uninstall')).toEqual(succeeded)
    expect(await readdir(machine.directory)).not.toContain('upgraded')
  })

  test('names a program that runs and cannot be removed, and ends with 2', async () => {
    const script = await unpack('6.0.0')
    expect(await install(script, 'running')).toEqual(succeeded)
    const program = join('running', `${suiteName}.exe`)
    const wait =
      'fs.writeFileSync("started", ""); const end = () => fs.existsSync("end") || setTimeout(end, 100); end()'
    const ended = machine.run(program, ['-e', wait])
    await vi.waitUntil(async () => (await readdir(machine.directory)).includes('started'), { timeout: 60_000 })
    const { status, stderr } = await install(script, 'running', '/uninstall')
    await writeFile(pathIn('end'), '')
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringMatching(
        /^install.cmd: not removed: ".*running.gatepass-helpers.exe"\r\n(install.cmd: not removed: ".*\r\n)*install.cmd: hint: end the programs .*\r\n$/,
      ),
    })
    expect(await ended).toBe(0)
    expect(await install(script, 'running', '/uninstall')).toEqual(succeeded)
    expect(await readdir(machine.directory)).not.toContain('running')
  })

  test('installs into the folder for 64-bit programs below a 32-bit parent', async () => {
    await unpack('7.0.0')
    const lines = [
      '@set "ProgramW6432=%~dp0sixty-four"',
      '@set "ProgramFiles=%~dp0thirty-two"',
      `@"%~dp0unpacked ${suiteName} 7.0.0\\install.cmd"`,
    ]
    await writeFile(pathIn('run.cmd'), lines.join('\r\n'))
    expect(await machine.runScript('run.cmd')).toBe(0)
    expect((await readdir(pathIn('sixty-four', 'Gatepass'))).sort()).toEqual([...names, 'versions'].sort())
    expect(await readdir(machine.directory)).not.toContain('thirty-two')
  })

  test('links no name to a version that does not start', async () => {
    const { status, stderr } = await install(await unpack('3.0.0', 'no program'), 'other')
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('does not start on this machine'),
    })
    expect(await readdir(pathIn('other'))).toEqual(['versions'])
  })

  test('refuses an unknown argument', async () => {
    expect(await install(await unpack('4.0.0', ''), 'another', '/upgrade')).toEqual({
      status: 2,
      stdout: '',
      stderr: `install.cmd: unknown argument "/upgrade"\r\ninstall.cmd: hint: install.cmd [/uninstall] [/prefix DIRECTORY]\r\n`,
    })
    expect(await readdir(machine.directory)).not.toContain('another')
  })
})
