import { link, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareRuntime } from '../../../pkg-scripts/executable/runtimes.ts'
import { renderInstaller } from '../../../pkg-scripts/release/installer.ts'
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
async function unpack(version: string, executable?: string): Promise<string> {
  const folder = `unpacked ${version}`
  await mkdir(pathIn(folder))
  const { file, text } = renderInstaller('win32', { name: suiteName, version, links })
  await writeFile(pathIn(folder, file), text)
  await writeFile(pathIn(folder, 'THIRD-PARTY-NOTICES.txt'), version)
  if (executable === undefined) await link(await copyRuntime(version), pathIn(folder, `${suiteName}.exe`))
  else await writeFile(pathIn(folder, `${suiteName}.exe`), executable)
  return `${folder}\\${file}`
}

async function copyRuntime(version: string): Promise<string> {
  const path = pathIn(`${version}.exe`)
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

const done = { status: 0, stdout: '', stderr: '' }
const inodesIn = async (prefix: string) => {
  const files = (await readdir(pathIn(prefix))).filter((name) => name.endsWith('.exe'))
  expect(files.sort()).toEqual(names)
  return new Set(await Promise.all(files.map(async (name) => (await stat(pathIn(prefix, name))).ino)))
}

describe('install.cmd', () => {
  test('installs every name, upgrades and downgrades them, and removes them', async () => {
    const [one, two] = [await unpack('1.0.0'), await unpack('2.0.0')]
    expect(await install(one, 'Gäte pass')).toEqual(done)
    const first = await inodesIn('Gäte pass')
    expect(first.size).toBe(1)
    await writeFile(pathIn('Gäte pass', 'aws-bedrock-token.json'), '{}')

    expect(await install(two, 'Gäte pass')).toEqual(done)
    const second = await inodesIn('Gäte pass')
    expect(second.size).toBe(1)
    expect(second).not.toEqual(first)
    expect((await readdir(pathIn('Gäte pass'))).filter((name) => /\.(new|old)$/.test(name))).toEqual([])

    expect(await install(`Gäte pass\\versions\\${suiteName}-1.0.0\\install.cmd`, 'Gäte pass')).toEqual(done)
    expect(await inodesIn('Gäte pass')).toEqual(first)

    expect(await install(two, 'Gäte pass', '/uninstall')).toEqual(done)
    expect(await readdir(pathIn('Gäte pass'))).toEqual(['aws-bedrock-token.json'])
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
