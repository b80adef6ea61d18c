// Folder: standalone executables for every platform, over pinned runtimes.

import { execFile, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Vendor } from '../../src/vendor/setting.ts'
import { vendor as ownVendor } from '../../src/vendor.ts'
import type { Packed } from '../bundle/pack.ts'
import { requireUnmovedProgram } from '../mach-o/unmoved-program.ts'
import { root } from '../tree.ts'
import { assembleContent, type Content, countToNext } from './assemble-content.ts'
import { describeWindowsFile, type WindowsDescription } from './describe-windows-file.ts'
import { prepareRuntime } from './prepare-runtime.ts'
import { hostTarget, isWindows, requireRuntime } from './runtimes.ts'

/** Builds a program's standalone executable at `path`, with `.exe` appended for Windows; returns its path. */
export async function buildExecutable(
  target: string,
  packed: Packed,
  { isCompiledAhead, ...description }: ExecutableDescription & { isCompiledAhead: boolean },
): Promise<string> {
  // Code that this machine's runtime compiled is useless to another runtime.
  const content = await assembleContent(packed, isCompiledAhead && target === hostTarget)
  return assembleExecutable(target, content, description)
}

/** The facts about an executable that systems show, and the name in its signature. */
interface ExecutableDescription {
  /** The path of the result, without `.exe`. */
  readonly path: string
  readonly summary: string
  /** The publisher, the licence and the code-signing identifier; those of this tree by default. */
  readonly vendor?: Vendor
}

/** Adds content to a target's runtime. */
export async function assembleExecutable(
  target: string,
  content: Content,
  { path, summary, vendor = ownVendor }: ExecutableDescription,
): Promise<string> {
  const output = isWindows(target) ? `${path}.exe` : path
  mkdirSync(dirname(output), { recursive: true })
  // Signing tools decide by the extension.
  const draft = join(dirname(output), `.${process.pid}.${basename(output)}`)
  const directory = mkdtempSync(join(tmpdir(), 'build-'))
  try {
    const { publisher, licence } = vendor
    const runtime = await prepareDescribedRuntime(target, { file: output, summary, publisher, licence }, directory)
    await buildDraft(content, directory, { runtime, output: draft, target })
    if (target.startsWith('darwin-')) requireUnmovedProgram(readFileSync(runtime), readFileSync(draft))
    chmodSync(draft, 0o755)
    sign(draft, `${vendor.codeSigningIdentifier}.${basename(path)}`)
    renameSync(draft, output)
    return output
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Returns the path of the target's runtime; for Windows that of a copy in this directory, which holds the description. */
async function prepareDescribedRuntime(
  target: string,
  description: WindowsDescription,
  directory: string,
): Promise<string> {
  const runtime = await prepareRuntime(requireRuntime(target))
  if (!isWindows(target)) return runtime
  const described = join(directory, 'runtime.exe')
  writeFileSync(described, describeWindowsFile(readFileSync(runtime), description))
  return described
}

interface Build {
  readonly runtime: string
  readonly output: string
  readonly target: string
}

/** Builds a second time if compiled code must move by some bytes in the first executable. */
async function buildDraft(content: Content, directory: string, build: Build): Promise<void> {
  // Paths of the script and of its builder may remain in the executable, so both are in a neutral directory.
  const builder = join(directory, 'node')
  copyFileSync(await prepareRuntime(requireRuntime(hostTarget)), builder)
  writeContent(content, directory, build)
  await runBuilder(builder, directory)
  const aligned = content.alignedAsset === undefined ? undefined : content.assets?.get(content.alignedAsset)
  const spaces = aligned ? countMissingSpaces(aligned, readFileSync(build.output)) : 0
  if (spaces === 0) return
  writeContent({ ...content, main: ' '.repeat(spaces) + content.main }, directory, build)
  await runBuilder(builder, directory)
}

function writeContent(
  { main, isSnapshot = false, assets = new Map() }: Content,
  directory: string,
  { runtime, output, target }: Build,
): void {
  const files = [...assets].map(([name, content], index) => {
    writeFileSync(join(directory, `asset-${index}`), content)
    return [name, `asset-${index}`]
  })
  const config = {
    main: 'program.cjs',
    output,
    executable: runtime,
    disableExperimentalSEAWarning: true,
    // OpenSSL's configuration could load code, and an invalid one ends a run before ours starts. Nobody can create this file.
    execArgv: [
      ...runtimeArguments,
      ...toForeignArguments(target),
      `--openssl-config=${isWindows(target) ? 'NUL' : '/dev/null'}`,
    ],
    execArgvExtension: 'none',
    useSnapshot: isSnapshot,
    assets: Object.fromEntries(files),
  }
  writeFileSync(join(directory, 'program.cjs'), main)
  writeFileSync(join(directory, 'config.json'), JSON.stringify(config))
}

const runtimeArguments = [
  // In megabytes: a call ends before it has filled this, so garbage collection does not interrupt it.
  '--min-semi-space-size=16',
  // SIGUSR1 would open a debugger port to every user of the machine, and listening for it takes a thread at each start.
  '--disable-sigusr1',
]

/** The keychains of macOS and Windows need `node:ffi`, which a runtime before 26.9 enables only with an option. */
function toForeignArguments(target: string): string[] {
  const [major = 0, minor = 0] = requireRuntime(target).version.split('.').map(Number)
  return major > 26 || (major === 26 && minor >= 9) ? [] : ['--experimental-ffi']
}

/** Runs the builder with an empty environment, so that no variable remains in the executable. */
async function runBuilder(builder: string, directory: string): Promise<void> {
  await promisify(execFile)(builder, ['--build-sea', 'config.json'], { cwd: directory, env: {} }).catch(
    (cause: Error & { stderr?: string }) => {
      throw new Error(`the executable cannot be built: ${cause.stderr}`, { cause })
    },
  )
}

/**
 * The script precedes its assets, whose position in the file equals that in memory, modulo the page size: spaces before the script move
 * them.
 */
function countMissingSpaces(asset: Buffer, executable: Buffer): number {
  const place = executable.indexOf(asset.subarray(0, 4096))
  if (place === -1) throw new Error('the executable was built without its compiled code')
  return countToNext(place)
}

/**
 * Signs with the program in `SIGN_COMMAND`, if set, because Windows and macOS require signatures. Rules of macOS use the identifier, which
 * would otherwise be derived from the draft's name.
 */
function sign(executable: string, identifier: string): void {
  const command = process.env.SIGN_COMMAND
  if (!command) return
  const shell = process.platform === 'win32'
  const { status, stderr } = spawnSync(resolve(root, command), [executable], {
    encoding: 'utf8',
    shell,
    env: { ...process.env, SIGN_IDENTIFIER: identifier },
  })
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
}
