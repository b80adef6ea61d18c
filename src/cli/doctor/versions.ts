import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { compareVersions, type Installed, parseVersion } from '../../client/doctor/compare-versions.ts'
import type { Part } from '../../client/examination.ts'
import type { Credential } from '../../config/document.ts'
import { digestNames } from '../../runtime/digest.ts'
import { type Host, listProgramNames } from '../../runtime/host.ts'
import { runProcess } from '../../runtime/run-process.ts'
import { quoteWord } from '../../runtime/text/quote.ts'
import { suiteName } from '../../suite/suite-name.ts'
import { vendorFileName } from '../../vendor/setting.ts'
import { vendor } from '../../vendor.ts'
import { commit, programName, version } from '../../version.ts'
import type { Cli } from '../cli.ts'

/**
 * Asks every program of the suite beside this command, or beside the one that a document names, for its version. Empty
 * where there is none.
 */
export async function examineVersions({ host, helpers }: Cli, credential: Credential | undefined): Promise<Part[]> {
  const paths = findPrograms([suiteName, ...helpers.keys()], listDirectories(host, credential), host.platform)
  if (paths.length === 0) return []
  const files = groupLinks(paths)
  const found = await Promise.all(
    files.map(async ({ path, links }) => ({ path, links, build: await askVersion(host, path) })),
  )
  const own = { version, commit, vendor: vendor.name, names: digestNames(vendor) }
  const repair = (stale: Installed, whole: Installed) => chooseRepairHint(stale, whole, host.platform)
  return [compareVersions(own, found, { repair, names: renderNamesHint(host, paths) })]
}

function listDirectories({ platform }: Host, credential: Credential | undefined): string[] {
  const [, executable = ''] = listProgramNames()
  const { command, commandWindows } = credential?.kind === 'helper-script' ? credential : {}
  const named = platform === 'win32' ? (commandWindows ?? command) : command
  return [...new Set([executable, ...(named === undefined ? [] : [named])].map((path) => dirname(path)))]
}

function findPrograms(names: readonly string[], directories: readonly string[], platform: NodeJS.Platform): string[] {
  const files = platform === 'win32' ? names.map((name) => `${name}.exe`) : names
  return directories
    .flatMap((directory) => files.map((file) => join(directory, file)))
    .filter((path) => existsSync(path))
}

/** Names of one file. The first is asked, because the build is the same under every name. */
function groupLinks(paths: readonly string[]): { path: string; links: string[] }[] {
  const files = Map.groupBy(paths, (path) => {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dirname(path)}:${dev}:${ino}`
  })
  return [...files.values()].map(([path = '', ...links]) => ({ path, links }))
}

/** Longer than any program of the suite takes to answer. */
const answerLimitMs = 10_000

/** The build that a program of the suite states; `undefined` for any other program. */
export async function askVersion({ env }: Host, path: string): Promise<Installed['build']> {
  const signal = AbortSignal.timeout(answerLimitMs)
  // Processes that it leaves behind may hold its pipes; nothing waits for them.
  const outcome = await runProcess({
    command: { program: path, args: ['--version'] },
    ...{ env, signal, isWhole: () => true },
  })
  const said = outcome.ended === 'exited' && outcome.status === 0 ? outcome.stdout : new Uint8Array()
  return parseVersion(new TextDecoder().decode(said))
}

/** On Windows the file lies beside the executables that it is for. */
function renderNamesHint({ platform, machineDirectory }: Host, [path = '']: readonly string[]): string {
  const file = join(platform === 'win32' ? dirname(path) : machineDirectory, vendorFileName)
  return `use the names of one vendor file for all of them: helpers read ${file}, or else have those of their build; to see those of this command, run: ${programName} vendor show`
}

/** The installer creates the names again; where there is none, a link does. */
function chooseRepairHint(stale: Installed, whole: Installed, platform: NodeJS.Platform): string {
  const directory = dirname(whole.path)
  const version = join(directory, 'versions', `${suiteName}-${whole.build?.version}`)
  const [script, option, quote] =
    platform === 'win32' ? ['install.cmd', '/prefix', '"'] : ['install.sh', '--prefix', "'"]
  const installer = join(version, script)
  if (existsSync(installer)) return `install again: ${quote}${installer}${quote} ${option} ${quote}${directory}${quote}`
  if (platform === 'win32' || basename(whole.path) !== suiteName || !whole.build)
    return `install the whole suite in ${directory} again`
  return `install again, or create the name again: ln -f ${quoteWord(whole.path)} ${quoteWord(stale.path)}`
}
