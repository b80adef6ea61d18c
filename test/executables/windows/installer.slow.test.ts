import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { prepareRuntime } from '../../../pkg-scripts/executable/prepare-runtime.ts'
import { renderInstaller } from '../../../pkg-scripts/release/render-installer.ts'
import { listHelpers } from '../../../pkg-scripts/tree.ts'
import { suiteName } from '../../../src/suite/installed-programs.ts'
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

/** Reads the names in a folder with the version that each links to, the versions that are kept, and the current one. */
async function readInstallation(prefix: string) {
  const files = (await readdir(pathIn(prefix))).sort()
  const kept = (await readdir(pathIn(prefix, 'versions')).catch(() => [])).sort() // after an uninstallation there is none
  const identify = async (...path: string[]) => (await stat(pathIn(prefix, ...path))).ino
  const versions = new Map<number, string>()
  for (const folder of kept.filter((name) => !name.endsWith('.current'))) {
    const [name, version] = folder.split(/-(?=\d)/)
    versions.set(await identify('versions', folder, `${name}.exe`), version!)
  }
  const linked = await Promise.all(
    files.filter((name) => name !== 'versions').map(async (name) => [name, versions.get(await identify(name))]),
  )
  return { linked: Object.fromEntries(linked), kept }
}

/** Returns an installation of the helpers alone. */
const helpersAt = (version: string, ...kept: string[]) => ({
  linked: Object.fromEntries(names.map((name) => [name, version])),
  kept: [...kept.map((each) => `${suiteName}-${each}`), `${suiteName}.current`],
})

describe('install.cmd', () => {
  test('installs every name, upgrades and downgrades them, and removes them', async () => {
    const prefix = 'Gäte pass'
    const setting = 'aws-bedrock-token.json'
    const step = async (script: string, ...more: string[]) => ({
      ...(await install(script, prefix, ...more)),
      ...(await readInstallation(prefix)),
    })
    const two = await unpack('2.0.0')
    expect(await step(await unpack('1.0.0'))).toEqual({ ...succeeded, ...helpersAt('1.0.0', '1.0.0') })
    await writeFile(pathIn(prefix, setting), '{}')
    const withSetting = (version: string) => {
      const { linked, kept } = helpersAt(version, '1.0.0', '2.0.0')
      return { ...succeeded, linked: { ...linked, [setting]: undefined }, kept }
    }
    expect(await step(two)).toEqual(withSetting('2.0.0'))
    expect(await step(`${prefix}\\versions\\${suiteName}-1.0.0\\install.cmd`)).toEqual(withSetting('1.0.0'))
    expect(await step(two, '/uninstall')).toEqual({ ...succeeded, linked: { [setting]: undefined }, kept: [] })
  })

  test('removes one program and leaves another whose name begins alike', async () => {
    const command = await unpack('1.0.0', undefined, 'gatepass')
    const helpers = await unpack('5.0.0')
    expect([await install(command, 'both'), await install(helpers, 'both')]).toEqual([succeeded, succeeded])
    // A file that a program left behind because it ran during an upgrade.
    await writeFile(pathIn('both', 'gatepass.exe.old'), '')
    const withoutCommand = [await install(command, 'both', '/uninstall'), await readInstallation('both')]
    expect(withoutCommand).toEqual([succeeded, helpersAt('5.0.0', '5.0.0')])

    const withoutHelpers = [await install(command, 'both'), await install(helpers, 'both', '/uninstall')]
    expect([...withoutHelpers, await readInstallation('both')]).toEqual([
      succeeded,
      succeeded,
      { linked: { 'gatepass.exe': '1.0.0' }, kept: ['gatepass-1.0.0', 'gatepass.current'] },
    ])
  })

  describe('with several versions', () => {
    const prefix = 'upgraded'
    const installInTurn = async (...scripts: readonly string[]) => {
      const outcomes = []
      for (const script of scripts) outcomes.push(await install(script, prefix))
      return { outcomes, ...(await readInstallation(prefix)) }
    }
    const twice = { outcomes: [succeeded, succeeded] }
    afterEach(() => rm(pathIn(prefix), { recursive: true, force: true }))

    test('keeps the version before the new one', async () => {
      const [one, two, three] = [await unpack('1.0.0'), await unpack('2.0.0'), await unpack('3.0.0')]
      expect(await installInTurn(one, two)).toEqual({ ...twice, ...helpersAt('2.0.0', '1.0.0', '2.0.0') })
      expect(await installInTurn(two, three)).toEqual({ ...twice, ...helpersAt('3.0.0', '2.0.0', '3.0.0') })
      const kept = `${prefix}\\versions\\${suiteName}-2.0.0\\install.cmd`
      expect(await installInTurn(kept)).toEqual({ outcomes: [succeeded], ...helpersAt('2.0.0', '2.0.0', '3.0.0') })
    })

    test('keeps an older version while a name of it is left', async () => {
      await install(await unpack('3.0.0'), prefix)
      // A name that newer versions do not have.
      await writeFile(pathIn(prefix, 'versions', `${suiteName}-3.0.0`, 'names'), 'former.exe\r\n')
      await writeFile(pathIn(prefix, 'former.exe'), '')
      const [four, five] = [await unpack('4.0.0'), await unpack('5.0.0')]
      const { linked, kept } = helpersAt('5.0.0', '3.0.0', '4.0.0', '5.0.0')
      expect(await installInTurn(four, five)).toEqual({
        ...twice,
        linked: { ...linked, 'former.exe': undefined },
        kept,
      })
      expect(await install(await unpack('1.0.0'), prefix, '/uninstall')).toEqual(succeeded)
      expect(await readdir(machine.directory)).not.toContain(prefix)
    })
  })

  test('names a program that runs and cannot be removed', async () => {
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
