import { globSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, symlink } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { execa } from 'execa'
import { bundleDirectory, root } from '../../pkg-scripts/tree.ts'
import { toNamesInForce } from './names.ts'
import { matchText, parseConsoleBlocks, parseTranscript, type Seen, type Step, type Transcript } from './replay.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** How the home directory of a replay reads in a transcript. */
const shownHome = '/home/dana'

/** Finds every transcript of the project: files, and console blocks of its documents. */
export function findTranscripts(): Transcript[] {
  const read = (place: string) => toNamesInForce(readFileSync(join(root, place), 'utf8'))
  const files = globSync('test/transcripts/*.txt', { cwd: root }).sort()
  const all = globSync(['{README,CONTRIBUTING,SECURITY,CHANGELOG}.md', 'docs/**/*.md'], { cwd: root }).sort()
  const documents = all.filter((place) => place !== organizationsPage)
  return [
    ...files.map((place) => parseTranscript(read(place), place)),
    ...documents.flatMap((place) => {
      const blocks = parseConsoleBlocks(read(place), place)
      return oneFolder.has(place) ? joinBlocks(place, blocks) : blocks
    }),
  ]
}

/** The page whose transcripts need the network of an organization; `test/cli/setup/organizations.slow.test.ts` replays them. */
export const organizationsPage = 'docs/setup-examples.md'

/** Documents that are followed from top to bottom: their blocks are replayed in order, in one folder. */
const oneFolder = new Set(['docs/rollout.md'])

function joinBlocks(place: string, blocks: readonly Transcript[]): Transcript[] {
  return [{ place, steps: blocks.flatMap(({ steps }) => steps) }]
}

/**
 * Returns whether a transcript needs npm, is one of many on a page of recipes, or shows what quick tests see without processes, so that it
 * is replayed with the slow tests.
 */
export function isSlow({ place, steps }: Transcript): boolean {
  return slowPages.some((page) => place.startsWith(page)) || steps.some(({ command }) => isNpm(command))
}

/**
 * Returns whether a transcript is replayed in the quick set: the others are slow, or stand on a page of many commands, which quick tests
 * call in their own process.
 */
export function isQuick(transcript: Transcript): boolean {
  return !isSlow(transcript) && !longPages.some((page) => transcript.place.startsWith(page))
}

/** Pages that start dozens of processes between them. */
const longPages = [
  'docs/api.md',
  'docs/bootstrap.md',
  'docs/cache.md',
  'docs/config.md',
  'docs/fleet-report.md',
  'docs/gateway.md',
  'docs/gateways/',
  'docs/setup.md',
  'docs/simulate.md',
  'docs/vendor.md',
  'test/transcripts/full-disk.txt',
]

/** The page whose transcripts run programs of others. Stand-ins print what those print. */
const recipes = 'docs/helpers/command-token.md'

/** Pages with many commands. */
const slowPages = [
  recipes,
  'docs/fleet-simulation.md',
  'docs/gateways/policy.md',
  'docs/rollout.md',
  'docs/windows-policies.md',
]

/**
 * Runs the commands of a transcript one by one, each in a shell of its own, in one fresh home directory, with programs (by
 * default the built bundles) and the pinned runtime first on the path and no AWS variables. npm runs in the project, or, where it installs,
 * in a copy of it. What looks as the transcript says is given back in the transcript's own words.
 */
export async function replay(
  { place, steps }: Transcript,
  programs: Programs = listBundles(),
  env: Readonly<Record<string, string>> = {},
): Promise<Step[]> {
  const directory = await temporaryDirectory()
  const home = join(directory, 'home')
  await mkdir(home)
  const others = place.startsWith(recipes) ? listStandIns() : []
  const bin = await writeBinaries(directory, new Map([...others, ...programs]))
  const project = steps.some(({ command }) => /^npm (ci|i|install)\b/.test(command))
    ? await copyProject(directory)
    : root
  const played: Step[] = []
  for (const { command, seen } of steps) {
    const outcome = await runShell(
      command,
      isNpm(command) ? createNpmSetup(bin, project) : createHomeSetup(bin, home, env),
    )
    played.push({ command, seen: compare(outcome, seen, home) })
  }
  return played
}

interface ShellSetup {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

function createHomeSetup(bin: string, home: string, more: Readonly<Record<string, string>>): ShellSetup {
  const env = {
    ...more,
    HOME: home,
    PATH: [bin, '/usr/bin', '/bin'].join(delimiter),
    AWS_EC2_METADATA_DISABLED: 'true',
  }
  return { cwd: home, env }
}

/** npm needs the person's own settings, such as a registry, a proxy or a certificate authority. */
function createNpmSetup(bin: string, project: string): ShellSetup {
  const own = Object.entries(process.env).filter(([name]) => !/^(AWS|VENDOR|GATEPASS|VITEST)_/.test(name))
  return { cwd: project, env: { ...Object.fromEntries(own), PATH: [bin, process.env.PATH].join(delimiter) } }
}

async function runShell(command: string, { cwd, env }: ShellSetup) {
  const { exitCode, stdout, stderr } = await execa('/bin/sh', ['-c', command], {
    cwd,
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    timeout: 280_000,
    killSignal: 'SIGKILL',
    killDescendants: true,
  })
  return { status: exitCode ?? -1, stdout, stderr }
}

function compare({ status, stdout, stderr }: Awaited<ReturnType<typeof runShell>>, seen: Seen, home: string): Seen {
  const shown = (text: string) => text.replaceAll(home, shownHome)
  if ('terminal' in seen) return { terminal: matchText(shown(stdout + stderr), seen.terminal) }
  return { status, stdout: matchText(shown(stdout), seen.stdout), stderr: matchText(shown(stderr), seen.stderr) }
}

/** Files by the names under which they are on the path. */
export type Programs = ReadonlyMap<string, string>

/** Lists every built program under its name. */
export function listBundles(): Programs {
  const bundles = readdirSync(bundleDirectory).filter((file) => file.endsWith('.cjs'))
  return new Map(bundles.map((file) => [basename(file, '.cjs'), join(bundleDirectory, file)]))
}

function listStandIns(): [name: string, file: string][] {
  const folder = join(root, 'test', 'stand-ins', 'programs')
  return readdirSync(folder).map((name) => [name, join(folder, name)])
}

/** Writes a directory with what an installation puts on the path: every program under its name, and their runtime. */
async function writeBinaries(directory: string, programs: Programs): Promise<string> {
  const bin = join(directory, 'bin')
  await mkdir(bin)
  for (const [name, file] of new Map([['node', process.execPath], ...programs])) await symlink(file, join(bin, name))
  return bin
}

/** An installation removes `node_modules` first, which the tests themselves run from. */
async function copyProject(directory: string): Promise<string> {
  const copy = join(directory, 'project')
  const left = new Set(['node_modules', 'dist', '.git'].map((name) => join(root, name)))
  await cp(root, copy, { recursive: true, filter: (path) => !left.has(path) })
  return copy
}

function isNpm(command: string): boolean {
  return command.startsWith('npm ')
}
