// Folder: the MSI: its source, its tables and its cabinet.

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { HelperError } from '../../../src/runtime/failure.ts'
import { expandEmptyFiles } from './expand-empty-files.ts'
import { type MsiCodes, toMsiCodes } from './msi-codes.ts'
import { listMsiFiles } from './msi-files.ts'
import { renderQueries, renderTables } from './msi-tables.ts'
import { renderWixSource } from './render-wix-source.ts'
import type { WindowsPackage } from './windows-package.ts'

/** The programs for building it, each with the Debian package that installs it. */
export const msiTools = { wixl: 'wixl', msibuild: 'msitools', msiinfo: 'msitools' } as const

/** Builds an MSI for every user of a machine. It contains the executable once, under all names. */
export async function buildMsi(from: WindowsPackage): Promise<Msi> {
  requireVersion(from.version)
  const codes = toMsiCodes(from)
  const directory = await mkdtemp(join(tmpdir(), 'msi-'))
  try {
    await writeSources(from, codes, directory)
    await run(directory, 'wixl', '--arch', 'x64', '--output', 'package.msi', 'package.wxs')
    const { stdout } = await run(directory, 'msiinfo', 'extract', 'package.msi', 'files.cab')
    await writeFile(join(directory, 'expanded.cab'), expandEmptyFiles(stdout))
    const tables = renderTables(from, codes).map((_, index) => `table-${index}.idt`)
    const imported = ['-i', ...tables, '-a', 'files.cab', 'expanded.cab']
    await run(directory, 'msibuild', 'package.msi', '-q', ...renderQueries(from), ...imported)
    return { ...codes, content: await readFile(join(directory, 'package.msi')) }
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** An MSI, and the codes by which management systems find it. */
interface Msi extends MsiCodes {
  readonly content: Buffer
}

/** Windows Installer compares three numbers and ignores the rest. */
function requireVersion(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (/^\d+\.\d+\.\d+$/.test(version) && major < 256 && minor < 256 && patch < 65_535) return
  throw new HelperError(
    'not-configured',
    `an MSI cannot have the version ${version}`,
    'choose three numbers, at most 255.255.65534, or build without the format: --without msi',
  )
}

/** The further names of the executable are empty files at first, from which a small cabinet can be made. */
async function writeSources(from: WindowsPackage, codes: MsiCodes, directory: string): Promise<void> {
  const contents = { executable: from.executable, copy: '', notices: from.notices }
  for (const { id, kind } of listMsiFiles(from)) {
    const path = join(directory, id)
    await writeFile(path, contents[kind])
    await utimes(path, from.time, from.time)
  }
  await writeFile(join(directory, 'package.wxs'), renderWixSource(from, codes))
  for (const [index, text] of renderTables(from, codes).entries())
    await writeFile(join(directory, `table-${index}.idt`), text)
}

/** Runs a program with a fixed time zone and language, because the cabinet stores local times. */
async function run(cwd: string, program: string, ...args: readonly string[]): Promise<{ stdout: Buffer }> {
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C.UTF-8' }
  return promisify(execFile)(program, args, { cwd, env, encoding: 'buffer', maxBuffer: 2 ** 30 })
}
