import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HelperError } from '../../../src/runtime/failure.ts'
import { version } from '../../../src/version.ts'
import { packedPrograms } from '../../tree.ts'
import { requireOutcome, toSuccess } from './findings.ts'
import { type ProgramEnd, type ProgramRunOptions, runProgram } from './programs.ts'

/** The unpacked archive of one program, and its script. */
export interface Installer {
  readonly name: string
  /** Runs the script of the archive. */
  readonly run: RunScript
  /** The scripts of the next two versions, which are the same program under other numbers. */
  readonly next: readonly RunScript[]
  /** The script that the first of these keeps. */
  readonly runKept: RunScript
  /** The script that the version of the archive keeps. */
  readonly runOwn: RunScript
  /** The script of another build, if one was given. */
  readonly runOther: RunScript | undefined
}

const isOnWindows = process.platform === 'win32'
const script = isOnWindows ? 'install.cmd' : 'install.sh'

/** Unpacks both archives of this platform, unless the directory holds the unpacked ones. */
export async function prepareInstallers(releases: Releases, place: InstallLocation): Promise<Installer[]> {
  const made: Installer[] = []
  for (const name of packedPrograms) made.push(await prepareInstaller(releases, name, place))
  return made
}

/** Runs an installation script with these arguments. */
type RunScript = (...args: string[]) => Promise<ProgramEnd>

interface InstallLocation extends Pick<ProgramRunOptions, 'env'> {
  readonly scratch: string
  /** The directory into which names are installed. */
  readonly directory: string
}

/** The directories of two releases: the tested one, and another build of it. */
interface Releases {
  readonly release: string
  readonly other?: string | undefined
}

async function prepareInstaller(
  { release, other }: Releases,
  name: string,
  place: InstallLocation,
): Promise<Installer> {
  const folder = await prepareFolder(release, `${name}-${version}`, place)
  const [first, second] = [1, 2].map((step) => addToPatch(version, step)) as [string, string]
  const runIn =
    (where: string): RunScript =>
    (...args) =>
      runScript(join(where, script), args, place)
  const locateKept = (kept: string) => join(place.directory, 'versions', `${name}-${kept}`)
  return {
    name,
    run: runIn(folder),
    next: [first, second].map((number) => runIn(renderNext(folder, number, join(place.scratch, number, name)))),
    runKept: runIn(locateKept(first)),
    runOwn: runIn(locateKept(version)),
    runOther: other === undefined ? undefined : runIn(await prepareFolder(other, requireOther(other, name), place)),
  }
}

async function prepareFolder(release: string, folder: string, { scratch, env }: InstallLocation): Promise<string> {
  const unpacked = join(release, folder)
  if (existsSync(unpacked)) return unpacked
  const archive = locateArchive(release, folder)
  if (!existsSync(archive))
    throw new HelperError(
      'not-configured',
      `there is no ${archive}`,
      `make it: npm run release -- --target ${process.platform}-${process.arch}`,
    )
  // The tar of Windows; the tar of another shell would read C: as the name of a host.
  const tar = isOnWindows ? join(env.SystemRoot ?? 'C:\\Windows', 'System32', 'tar.exe') : 'tar'
  requireOutcome(`tar -xf ${archive}`, await runProgram(tar, ['-xf', archive, '-C', scratch], { env }), toSuccess(''))
  return join(scratch, folder)
}

/** Turns 0.1.0 and 2 into 0.1.2. */
function addToPatch(from: string, step: number): string {
  return from.replace(/^(\d+\.\d+\.)(\d+).*$/, (_, begin: string, patch: string) => begin + (Number(patch) + step))
}

export function listArchives(release: string): string[] {
  return packedPrograms.map((name) => locateArchive(release, `${name}-${version}`))
}

function locateArchive(release: string, folder: string): string {
  return `${join(release, folder)}-${process.platform}-${process.arch}.${isOnWindows ? 'zip' : 'tar.xz'}`
}

/** Runs it below the directory, and with a separate place for the machine's configuration, so that root is not needed. */
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

/** Returns a copy of an unpacked archive whose script has another version. */
function renderNext(folder: string, number: string, next: string): string {
  mkdirSync(next, { recursive: true })
  cpSync(folder, next, { recursive: true })
  const text = readFileSync(join(folder, script), 'utf8')
  writeFileSync(join(next, script), text.replaceAll(version, number), { mode: 0o755 })
  return next
}

/** Returns the folder of another build, which must have another version, because each version is a folder of its own. */
function requireOther(directory: string, name: string): string {
  const form = new RegExp(`^${name}-(\\d.*?)(-${process.platform}-${process.arch}\\.(zip|tar\\.xz))?$`)
  const found = readdirSync(directory).flatMap((entry) => form.exec(entry)?.[1] ?? [])
  const [only] = found.filter((one) => one !== version)
  if (only !== undefined) return `${name}-${only}`
  throw new HelperError(
    'not-configured',
    `${directory} has no archive of ${name} for this system with another version than ${version}`,
    'change the version in package.json and build: npm run release -- --output DIRECTORY',
  )
}
