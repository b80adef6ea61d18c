import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { bundle } from '../../../pkg-scripts/bundle/bundle.ts'
import { createSuiteProgram } from '../../../pkg-scripts/bundle/programs.ts'
import { renderFile } from '../../../pkg-scripts/bundle/render-file.ts'
import { buildMsi } from '../../../pkg-scripts/release/windows/build-msi.ts'
import type { WindowsPackage } from '../../../pkg-scripts/release/windows/windows-package.ts'
import { listHelpers } from '../../../pkg-scripts/tree.ts'
import { version } from '../../../src/version.ts'
import { testPackage } from '../../pkg-scripts/release/windows/test-package.ts'
import { buildWindowsExecutable } from './build-windows.ts'
import { startWindowsMachine, type WindowsMachine } from './windows-machine.ts'

const names = listHelpers().map((name) => `${name}.exe`)
const [first = ''] = names
const program = 'gatepass-helpers.exe'
const notices = 'gatepass-helpers-notices.txt'
const installed = [...names, program, notices].sort()
const chosenName = 'Our Prögrams'
const configuration = ['aws-bedrock-token.json', 'vendor.json']

let machine: WindowsMachine
/** A program of Windows that runs for as many seconds as it is told, in place of a helper. */
let waiting: Buffer

beforeAll(async () => {
  machine = await startWindowsMachine()
  waiting = await readFile(join(machine.systemDrive, 'windows', 'system32', 'ping.exe'))
  await writeMsi('one', { version: '1.0.0' })
  await writeMsi('rebuilt', { version: '1.0.0' })
  await writeMsi('newer', { version: '2.0.0' })
})
afterAll(() => machine.close())

const pathIn = (...parts: string[]) => join(machine.directory, ...parts)
const programs = (...parts: string[]) => join(machine.systemDrive, 'Program Files', 'Gatepass', ...parts)

/**
 * Writes `NAME.msi`. Without an executable it holds the one that waits, with the name behind it: Wine takes a file of the same
 * size for the same.
 */
async function writeMsi(name: string, described: Partial<WindowsPackage>): Promise<string> {
  const executable = Buffer.concat([waiting, Buffer.from(name)])
  const { content, productCode } = await buildMsi({ ...testPackage, names, executable, ...described })
  await writeFile(pathIn(`${name}.msi`), content)
  return productCode
}

/** The package that a failed test has left installed. It is removed before the next try. */
let left: string | undefined
beforeEach(async () => {
  if (left !== undefined) await msiexec('/x', left)
})

/** Runs Windows Installer silently; its status may be above 255, which Wine does not hand on. */
async function msiexec(...args: string[]): Promise<number> {
  const line = `@cd /d "%~dp0"\r\n@msiexec ${args.join(' ')} /qn /l*v log.txt\r\n@>status.txt echo %errorlevel%\r\n`
  await writeFile(pathIn('install.cmd'), line)
  // A batch file is read in the system's own character set, variables are not.
  await machine.runScript('install.cmd', { env: { CHOSEN: chosenName } })
  const status = Number(await readFile(pathIn('status.txt'), 'utf8'))
  if (status === 0 || status === 3010) left = args[0] === '/i' ? args[1] : undefined
  return status
}

/** Lists the entries in the list of installed programs: version and publisher. */
async function listInstalled(): Promise<string[]> {
  const key = 'HKLM\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall'
  await writeFile(pathIn('list.cmd'), `@reg query ${key} /s\r\n`)
  await machine.runScript('list.cmd', { stdout: 'list.txt' })
  const text = await readFile(pathIn('list.txt'), 'utf8')
  return [...text.matchAll(/DisplayVersion\s+REG_SZ\s+(\S+)/g)].map(([, found = '']) => found)
}

/** Nobody but the system and administrators may change the directory. */
const directoryAccess =
  'D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;OW)(A;OICI;0x1200a9;;;BU)(A;OICI;0x1200a9;;;AC)'

/** What Windows would show events of helpers with; nothing where the source is not registered. */
async function readEventSource(): Promise<string[]> {
  await writeFile(
    pathIn('source.cmd'),
    `@reg query HKLM\\SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\gatepass 2>nul\r\n`,
  )
  await machine.runScript('source.cmd', { stdout: 'source.txt' })
  const text = await readFile(pathIn('source.txt'), 'utf8')
  return [...text.matchAll(/(\w+)\s+(REG_\w+)\s+(\S+)/g)].map(([, ...parts]) => parts.join(' '))
}

const registered = [
  'EventMessageFile REG_EXPAND_SZ %SystemRoot%\\System32\\EventCreate.exe',
  'TypesSupported REG_DWORD 0x7',
]

async function configure(directory: string): Promise<void> {
  for (const file of configuration) await writeFile(join(directory, file), '{}')
}

/** Returns whether Wine has loaded the program that waits, by the end of its path, and so keeps its file open: its libraries come later. */
async function isRunning(path: string): Promise<boolean> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const loaded = numbers.map(async (number) => {
    const [line, maps] = await Promise.all([
      readFile(`/proc/${number}/cmdline`, 'utf8'),
      readFile(`/proc/${number}/maps`, 'utf8'),
    ])
    return line.split('\0')[0]?.endsWith(path) && maps.includes('ws2_32')
  })
  return (await Promise.allSettled(loaded)).some((one) => one.status === 'fulfilled' && one.value)
}

const bytesOf = async (path: string) => (await readFile(path)).subarray(waiting.length).toString()

const namesIn = async (directory: string) => (await readdir(directory)).sort()

describe('the MSI of the helpers', () => {
  describe('with its programs', () => {
    beforeAll(async () => {
      const { packed } = await bundle({ ...createSuiteProgram(), isWaitedFor: false })
      const path = await buildWindowsExecutable(await renderFile(packed, false), pathIn(program))
      await writeMsi('real', { executable: await readFile(path), version, publisher: 'Zoë & 東京 "GmbH"' })
    })
    afterAll(() => rm(programs(), { recursive: true }))

    /** Installs it where somebody has configured something already; gives the status. */
    const install = async () => {
      await mkdir(programs(), { recursive: true })
      await writeFile(programs('vendor.json'), 'no vendor file')
      return msiexec('/i', 'real.msi')
    }

    /** Reads the names in the directory, and how many different files the programs are. */
    const readPrograms = async () => {
      const inodes = await Promise.all([...names, program].map(async (name) => (await stat(programs(name))).ino))
      return { names: await namesIn(programs()), files: new Set(inodes).size }
    }
    const complete = { names: [...installed, 'vendor.json'].sort(), files: 1 }

    test('installs one file under every name', async () => {
      const installation = { status: await install(), ...(await readPrograms()) }
      await cp(programs(first), pathIn(first))
      const status = await machine.run(first, ['--version'], { stdout: 'version.txt' })
      const [printed] = (await readFile(pathIn('version.txt'), 'utf8')).split(' (')
      expect({ installation, run: { status, printed } }).toEqual({
        installation: { status: 0, ...complete },
        run: { status: 0, printed: `${first.replace('.exe', '')} ${version}` },
      })
    })

    test('lists itself with its directory until it is removed', async () => {
      const status = await install()
      const versions = await listInstalled()
      const [, location] = /InstallLocation\s+REG_SZ\s+(.*)\r/.exec(await readFile(pathIn('list.txt'), 'utf8')) ?? []
      expect({ status, versions, location }).toEqual({
        status: 0,
        versions: [version],
        location: 'C:\\Program Files\\Gatepass\\',
      })
      const removal = await msiexec('/x', 'real.msi')
      expect({ removal, names: await namesIn(programs()), versions: await listInstalled() }).toEqual({
        removal: 0,
        names: ['vendor.json'],
        versions: [],
      })
    })

    test('repairs a name that is missing', async () => {
      await install()
      await rm(programs(first))
      const status = await msiexec('/i', 'real.msi', 'REINSTALL=ALL', 'REINSTALLMODE=omus')
      expect({ status, ...(await readPrograms()) }).toEqual({ status: 0, ...complete })
      await msiexec('/x', 'real.msi')
    })
  })

  test('is not installed for one user', async () => {
    const status = await msiexec('/i', 'one.msi', 'ALLUSERS=""', 'MSIINSTALLPERUSER=1')
    expect({ status, versions: await listInstalled() }).toEqual({ status: 1603, versions: [] })
  })

  test('does not replace a newer version', async () => {
    const newer = await msiexec('/i', 'newer.msi')
    await configure(programs())
    const older = await msiexec('/i', 'one.msi')
    const found = { versions: await listInstalled(), bytes: await bytesOf(programs(first)) }
    expect({ newer, older, ...found }).toEqual({ newer: 0, older: 1603, versions: ['2.0.0'], bytes: 'newer' })
    const removal = await msiexec('/x', 'newer.msi')
    expect({ removal, names: await namesIn(programs()) }).toEqual({ removal: 0, names: configuration })
  })

  test('replaces a build of the same version', async () => {
    const statuses = [await msiexec('/i', 'one.msi')]
    await configure(programs())
    statuses.push(await msiexec('/i', 'rebuilt.msi'))
    const found = { versions: await listInstalled(), bytes: await bytesOf(programs(first)) }
    expect({ statuses, ...found, eventSource: await readEventSource() }).toEqual({
      statuses: [0, 0],
      versions: ['1.0.0'],
      bytes: 'rebuilt',
      eventSource: registered,
    })
    const removal = await msiexec('/x', 'rebuilt.msi')
    expect({ removal, names: await namesIn(programs()), eventSource: await readEventSource() }).toEqual({
      removal: 0,
      names: configuration,
      eventSource: [],
    })
  })

  test('is upgraded while a helper runs, and asks for a restart', async () => {
    const chosen = join(machine.systemDrive, chosenName, 'Gate pass')
    const installation = await msiexec('/i', 'one.msi', 'INSTALLDIR="%SystemDrive%\\%CHOSEN%\\Gate pass"')
    await configure(chosen)
    const running = machine.run(relative(machine.directory, join(chosen, first)), ['-n', '6', '127.0.0.1'])
    await vi.waitUntil(() => isRunning(join('Gate pass', first)), { timeout: 60_000 })
    const upgrade = await msiexec('/i', 'newer.msi')
    expect({ installation, upgrade, versions: await listInstalled(), helper: await running }).toEqual({
      installation: 0,
      upgrade: 3010,
      versions: ['2.0.0'],
      helper: 0,
    })
    await machine.restart()
    const bytes = await Promise.all(names.map((name) => bytesOf(join(chosen, name))))
    expect({ names: await namesIn(chosen), bytes }).toEqual({
      names: [...installed, ...configuration].sort(),
      bytes: names.map(() => 'newer'),
    })
    const removal = await msiexec('/x', 'newer.msi')
    expect({ removal, names: await namesIn(chosen) }).toEqual({ removal: 0, names: configuration })
  })
})

describe('the tables', () => {
  const read = async (table: string) => {
    const { stdout } = await promisify(execFile)('msiinfo', ['export', pathIn('one.msi'), table])
    return stdout
      .split('\r\n')
      .slice(3, -1)
      .map((row) => row.split('\t'))
      .sort()
  }

  test('name the package, its publisher and its help', async () => {
    const wanted = {
      ProductName: 'Gatepass helpers',
      ProductVersion: '1.0.0',
      Manufacturer: 'Desktop team',
      ARPHELPLINK: 'https://desktop.example/help?a=1&b=2',
      ALLUSERS: '1',
      REBOOT: 'ReallySuppress',
    }
    const rows = await read('Property')
    expect(Object.fromEntries(rows.filter(([name = '']) => name in wanted))).toEqual(wanted)
  })

  test('restrict the directory', async () => {
    expect(await read('MsiLockPermissionsEx')).toEqual([
      ['directory', 'INSTALLDIR', 'CreateFolder', directoryAccess, ''],
    ])
  })

  test('remove the version before when every file of the new one is there, and link names as the system', async () => {
    const order = (await read('InstallExecuteSequence')).toSorted((one, other) => Number(one[2]) - Number(other[2]))
    const actions = order.map(([action = '']) => action)
    const wanted = [
      'LaunchConditions',
      'InstallFiles',
      'LinkNames',
      'InstallExecute',
      'RemoveExistingProducts',
      'InstallFinalize',
    ]
    expect(actions.filter((action) => wanted.includes(action))).toEqual(wanted)
    expect(await read('CustomAction')).toContainEqual(['LinkNames', '3154', 'gatepass_helpers.exe', '--link-names', ''])
  })

  test('hold only one file of the same bytes', async () => {
    const files = await read('File')
    const sizes = files
      .filter(([, , name = '']) => name.endsWith('.exe'))
      .map(([, , , bytes, found]) => `${bytes} ${found}`)
    expect(new Set(sizes)).toEqual(new Set([`${waiting.length + 'one'.length} 1.0.0.0`]))
    expect((await stat(pathIn('one.msi'))).size).toBeLessThan(waiting.length)
  })
})
