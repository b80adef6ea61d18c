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
import { describeWindowsFile, type WindowsDescription } from './describe-windows-file.ts'
import { prepareRuntime } from './prepare-runtime.ts'
import { type Content, renderContent } from './render-content.ts'
import { hostTarget, isWindows, requireRuntime } from './runtimes.ts'

/** Builds a program's standalone executable at `path`, with `.exe` behind it where the target wants that; gives its path. */
export async function buildExecutable(
  target: string,
  packed: Packed,
  { isCompiledAhead, ...description }: ExecutableDescription & { isCompiledAhead: boolean },
): Promise<string> {
  // Code that this machine's runtime has compiled is of no use to another one.
  const content = await renderContent(packed, isCompiledAhead && target === hostTarget)
  return assembleExecutable(target, content, description)
}

/** The facts that systems show of an executable, and the name in its signature. */
interface ExecutableDescription {
  /** Where it is written, without `.exe`. */
  readonly path: string
  readonly summary: string
  /** Gives the publisher, the licence and the code-signing identifier; if absent, those of this tree count. */
  readonly vendor?: Vendor
}

/** Puts content into a target's runtime. */
export async function assembleExecutable(
  target: string,
  content: Content,
  { path, summary, vendor = ownVendor }: ExecutableDescription,
): Promise<string> {
  const builder = await prepareRuntime(requireRuntime(hostTarget))
  const output = isWindows(target) ? `${path}.exe` : path
  mkdirSync(dirname(output), { recursive: true })
  // Signing tools go by the ending.
  const draft = join(dirname(output), `.${process.pid}.${basename(output)}`)
  const directory = mkdtempSync(join(tmpdir(), 'build-'))
  try {
    // Paths of the script and of its builder may stay in the executable, so both lie where the path says nothing.
    copyFileSync(builder, join(directory, 'node'))
    const { publisher, licence } = vendor
    const runtime = await describeRuntime(target, { file: output, summary, publisher, licence }, directory)
    writeContent(content, directory, { runtime, output: draft, target })
    await runBuilder(join(directory, 'node'), directory)
    if (target.startsWith('darwin-')) requireUnmovedProgram(readFileSync(runtime), readFileSync(draft))
    chmodSync(draft, 0o755)
    sign(draft, `${vendor.codeSigningIdentifier}.${basename(path)}`)
    renameSync(draft, output)
    return output
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Path of the target's runtime: for Windows of a copy in this directory, because its description is in the file. */
async function describeRuntime(target: string, description: WindowsDescription, directory: string): Promise<string> {
  const runtime = await prepareRuntime(requireRuntime(target))
  if (!isWindows(target)) return runtime
  const described = join(directory, 'runtime.exe')
  writeFileSync(described, describeWindowsFile(readFileSync(runtime), description))
  return described
}

function writeContent(
  { main, isSnapshot = false, assets = new Map() }: Content,
  directory: string,
  { runtime, output, target }: { runtime: string; output: string; target: string },
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
    // OpenSSL's configuration could load code, and one with an error ends a run before ours begins. Nobody can create this file.
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
  // In megabytes: a call ends before it has filled this much, and so is not interrupted to clear up.
  '--min-semi-space-size=16',
  // A signal would open a port for a debugger, to every user of the machine; to listen for it takes a thread at each start.
  '--disable-sigusr1',
]

/** The keychains of macOS and Windows are called through `node:ffi`, which a runtime before 26.9 has only when it is asked for. */
function toForeignArguments(target: string): string[] {
  const [major = 0, minor = 0] = requireRuntime(target).version.split('.').map(Number)
  return major > 26 || (major === 26 && minor >= 9) ? [] : ['--experimental-ffi']
}

/** With an empty environment, of which nothing can then be kept. */
async function runBuilder(builder: string, directory: string): Promise<void> {
  await promisify(execFile)(builder, ['--build-sea', 'config.json'], { cwd: directory, env: {} }).catch(
    (cause: Error & { stderr?: string }) => {
      throw new Error(`the executable cannot be built: ${cause.stderr}`, { cause })
    },
  )
}

/**
 * With the program that `SIGN_COMMAND` names, where it is set; Windows and macOS ask for a signature of their own. What rules of
 * macOS name is the identifier, which would otherwise be made from the name of the draft.
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
