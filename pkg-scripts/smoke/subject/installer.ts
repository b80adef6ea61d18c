import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HelperError } from '../../../src/runtime/failure.ts'
import { version } from '../../../src/version.ts'
import { requireOutcome, toSuccess } from './findings.ts'
import { type ProgramEnd, type ProgramRunOptions, runProgram } from './programs.ts'

/** The unpacked archive of one program, and its script. */
export interface Installer {
  readonly name: string
  /** Runs the script of the archive. */
  run(...args: string[]): Promise<ProgramEnd>
  /** Runs the script of the next version, which is the same program under another number. */
  runNext(...args: string[]): Promise<ProgramEnd>
  /** Runs the script that the installed version kept. */
  runKept(...args: string[]): Promise<ProgramEnd>
}

interface InstallLocation extends Pick<ProgramRunOptions, 'env'> {
  readonly scratch: string
  /** The directory into which names are installed. */
  readonly directory: string
}

const isOnWindows = process.platform === 'win32'
const script = isOnWindows ? 'install.cmd' : 'install.sh'
const programs = ['gatepass-helpers', 'gatepass']

/** Unpacks both archives of this platform; a directory may also hold what was unpacked from them. */
export async function prepareInstallers(release: string, place: InstallLocation): Promise<Installer[]> {
  const made: Installer[] = []
  for (const name of programs) made.push(await prepareInstaller(release, name, place))
  return made
}

async function prepareInstaller(release: string, name: string, place: InstallLocation): Promise<Installer> {
  const folder = await unpack(release, `${name}-${version}`, place)
  const next = renderNext(folder, join(place.scratch, 'next', name))
  const kept = join(place.directory, 'versions', `${name}-${version}`)
  const runIn =
    (where: string) =>
    (...args: string[]) =>
      runScript(join(where, script), args, place)
  return { name, run: runIn(folder), runNext: runIn(next), runKept: runIn(kept) }
}

async function unpack(release: string, folder: string, { scratch, env }: InstallLocation): Promise<string> {
  const unpacked = join(release, folder)
  if (existsSync(unpacked)) return unpacked
  const archive = `${unpacked}-${process.platform}-${process.arch}.${isOnWindows ? 'zip' : 'tar.xz'}`
  if (!existsSync(archive))
    throw new HelperError(
      'not-configured',
      `there is no ${archive}`,
      `make it: npm run release -- --target ${process.platform}-${process.arch}`,
    )
  // The one of Windows, and not one of a shell that somebody has installed, which takes C: for the name of a host.
  const tar = isOnWindows ? join(env.SystemRoot ?? 'C:\\Windows', 'System32', 'tar.exe') : 'tar'
  requireOutcome(`tar -xf ${archive}`, await runProgram(tar, ['-xf', archive, '-C', scratch], { env }), toSuccess(''))
  return join(scratch, folder)
}

/** A copy of an unpacked archive whose script has another version. */
function renderNext(folder: string, next: string): string {
  mkdirSync(next, { recursive: true })
  cpSync(folder, next, { recursive: true })
  const text = readFileSync(join(folder, script), 'utf8')
  writeFileSync(join(next, script), text.replaceAll(version, `${version}-next`), { mode: 0o755 })
  return next
}

/** Below the directory, and with a place of its own for the machine's configuration, so that nobody has to be root. */
function runScript(
  path: string,
  args: readonly string[],
  { directory, scratch, env }: InstallLocation,
): Promise<ProgramEnd> {
  if (isOnWindows) {
    const line = [path, ...args, '/prefix', directory].map((word) => `"${word}"`).join(' ')
    return runProgram(env.ComSpec ?? 'cmd.exe', ['/d', '/s', '/c', `"${line}"`], { env, isVerbatim: true })
  }
  const own = { GATEPASS_CONFIGURATION_DIRECTORY: join(scratch, 'configuration') }
  return runProgram('/bin/sh', [path, ...args, '--prefix', directory], { env: { ...env, ...own } })
}
