import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Part } from '../../client/examination.ts'
import type { Credential } from '../../config/document.ts'
import { digestNames } from '../../runtime/digest.ts'
import { type Host, listProgramNames } from '../../runtime/host.ts'
import { runProcess } from '../../runtime/run-process.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { suiteName } from '../../suite/installed-programs.ts'
import { vendorFileName } from '../../vendor/setting.ts'
import { vendor } from '../../vendor.ts'
import { commit, programName, version } from '../../version.ts'
import type { Cli } from '../cli.ts'

/** Runs every program of the suite next to this command, or next to the document's, for its version. Empty without programs. */
export async function examineVersions({ host, helpers }: Cli, credential: Credential | undefined): Promise<Part[]> {
  const paths = locatePrograms([suiteName, ...helpers.keys()], listDirectories(host, credential), host.platform)
  if (paths.length === 0) return []
  const files = readLinks(paths)
  const found = await Promise.all(
    files.map(async ({ path, links }) => ({ path, links, build: await askVersion(host, path) })),
  )
  const thisBuild = { version, commit, vendor: vendor.name, names: digestNames(vendor) }
  const { platform } = host
  const repair = (stale: Installed, whole: Installed) => {
    const installer = locateInstaller(whole, platform)
    return chooseRepairHint(stale, whole, { platform, installer: existsSync(installer) ? installer : undefined })
  }
  return [compareVersions(thisBuild, found, { repair, names: renderNamesHint(host, paths) })]
}

function listDirectories({ platform }: Host, credential: Credential | undefined): string[] {
  const [, executable = ''] = listProgramNames()
  const { command, commandWindows } = credential?.kind === 'helper-script' ? credential : {}
  const named = platform === 'win32' ? (commandWindows ?? command) : command
  return [...new Set([executable, ...(named === undefined ? [] : [named])].map((path) => dirname(path)))]
}

function locatePrograms(names: readonly string[], directories: readonly string[], platform: NodeJS.Platform): string[] {
  const files = platform === 'win32' ? names.map((name) => `${name}.exe`) : names
  return directories
    .flatMap((directory) => files.map((file) => join(directory, file)))
    .filter((path) => existsSync(path))
}

/** Reads which names are of one file. Only the first is run, because the build is the same under every name. */
function readLinks(paths: readonly string[]): { path: string; links: string[] }[] {
  const files = Map.groupBy(paths, (path) => {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dirname(path)}:${dev}:${ino}`
  })
  return [...files.values()].map(([path = '', ...links]) => ({ path, links }))
}

/** Longer than any program of the suite takes. */
const answerLimitMs = 10_000

/** Asks a program of the suite for its build; `undefined` for any other program. */
export async function askVersion({ env }: Host, path: string): Promise<Installed['build']> {
  const signal = AbortSignal.timeout(answerLimitMs)
  // Processes that it leaves may keep its pipes open; nothing waits for them.
  const outcome = await runProcess({
    command: { program: path, args: ['--version'] },
    env,
    signal,
    isWhole: () => true,
  })
  const said = outcome.ended === 'exited' && outcome.status === 0 ? outcome.stdout : new Uint8Array()
  return parseVersion(new TextDecoder().decode(said))
}

/** Locates the installer of a version, which need not be there. */
function locateInstaller({ path, build }: Installed, platform: NodeJS.Platform): string {
  const script = platform === 'win32' ? 'install.cmd' : 'install.sh'
  return join(dirname(path), 'versions', `${suiteName}-${build?.version}`, script)
}

/**
 * Chooses the way to repair a name: the installer creates the names again; without an installer, a link does.
 * @param installer `undefined` if it is not there.
 */
function chooseRepairHint(
  stale: Installed,
  whole: Installed,
  { platform, installer }: { readonly platform: NodeJS.Platform; readonly installer: string | undefined },
): string {
  const directory = dirname(whole.path)
  const [option, quote] = platform === 'win32' ? ['/prefix', '"'] : ['--prefix', "'"]
  if (installer) return `install again: ${quote}${installer}${quote} ${option} ${quote}${directory}${quote}`
  if (platform === 'win32' || basename(whole.path) !== suiteName || !whole.build)
    return `install the whole suite in ${directory} again`
  return `install again, or create the name again: ln -f ${quoteWord(whole.path)} ${quoteWord(stale.path)}`
}

/** A program of the suite on this machine; `build` is `undefined` if it does not print its version. */
interface Installed {
  readonly path: string
  /** Further names of the same file. */
  readonly links?: readonly string[]
  readonly build: SuiteBuild | undefined
}

/** On Windows the file is next to the executables that read it. */
function renderNamesHint({ platform, machineDirectory }: Host, [path = '']: readonly string[]): string {
  const file = join(platform === 'win32' ? dirname(path) : machineDirectory, vendorFileName)
  return `use the names of one vendor file for all of them: helpers read ${file}, or else have those of their build; to see those of this command, run: ${programName} vendor show`
}

/** Parses the output of `--version`; `undefined` for any other text. */
function parseVersion(stdout: string): SuiteBuild | undefined {
  const form = /^\S+ (\S+) \(commit (\S+), runtime [^\s,]+, for (.+?)(?:, names ([0-9a-f]{8}))?\)\r?\n$/
  const [, version, commit, vendor, names] = form.exec(stdout) ?? []
  return version && commit && vendor ? { version, commit, vendor, names } : undefined
}

/** The build that a program of the suite states. */
interface SuiteBuild {
  readonly version: string
  /** `unknown` if it runs from source, or was built without git. */
  readonly commit: string
  /** The display name of the vendor. */
  readonly vendor: string
  /** A digest of all names; older programs do not state it. */
  readonly names?: string | undefined
}

/** The hints for builds that differ. */
interface Hints {
  /** The hint for a name that no longer belongs to the program next to it. */
  readonly repair: (stale: Installed, whole: Installed) => string
  /** The hint for client names that differ from those of this command. */
  readonly names: string
}

/**
 * Compares the builds of all programs; pure. `found` lists the shared executable of a directory before its other names. A name with another
 * version remained from an upgrade.
 */
function compareVersions(own: SuiteBuild, found: readonly Installed[], hints: Hints): Part {
  const lines = [`this command is ${renderVersion(own)}`, ...found.map(renderInstalled)]
  const [stale] = found.map((one) => ({ one, whole: chooseShared(one, found) })).filter(isLeftover)
  if (stale) {
    const cause = `${basename(stale.one.path)} in ${dirname(stale.one.path)} was left behind by an upgrade, and is another build than ${basename(stale.whole.path)} beside it`
    return { part: 'installation', outcome: 'bad', lines, cause, hint: hints.repair(stale.one, stale.whole) }
  }
  if (found.every(({ build }) => build && isSameBuild(build, own)))
    return { part: 'installation', outcome: 'good', lines }
  const isOneRelease = found.every(({ build }) => build && isSameRelease(build, own))
  const hint = isOneRelease
    ? hints.names
    : 'install gatepass and the helpers of one release: each release has its own rules'
  return { part: 'installation', outcome: 'note', lines, hint }
}

/** Missing names count as equal. */
function isSameBuild(one: SuiteBuild, other: SuiteBuild): boolean {
  const hasSameNames = one.vendor === other.vendor && (one.names ?? other.names) === (other.names ?? one.names)
  return isSameRelease(one, other) && hasSameNames
}

/** An unknown commit counts as equal. */
function isSameRelease(one: SuiteBuild, other: SuiteBuild): boolean {
  const isSameCommit = one.commit === other.commit || one.commit === 'unknown' || other.commit === 'unknown'
  return one.version === other.version && isSameCommit
}

function renderInstalled({ path, links = [], build }: Installed): string {
  const version = build ? `is ${renderVersion(build)}` : 'does not say its version'
  const names =
    links.length === 0 ? '' : `, and so are its other names: ${links.map((link) => basename(link)).join(', ')}`
  return `${basename(path)} in ${dirname(path)} ${version}${names}`
}

function chooseShared(one: Installed, found: readonly Installed[]): Installed {
  return found.find(({ path }) => dirname(path) === dirname(one.path)) ?? one
}

function isLeftover({ one, whole }: { one: Installed; whole: Installed }): boolean {
  return !one.build || !whole.build || !isSameBuild(one.build, whole.build)
}

function renderVersion({ version, commit, vendor, names }: SuiteBuild): string {
  return `${version} (commit ${commit}, for ${vendor}${names === undefined ? '' : `, names ${names}`})`
}
