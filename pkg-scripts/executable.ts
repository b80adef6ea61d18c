import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { root } from './helpers.ts'
import type { Form } from './pack.ts'
import { hostTarget, isWindows, prepareRuntime, resolveRuntime } from './runtimes.ts'

/** A packed program and what starts it. */
export interface PackedProgram {
  readonly code: string
  readonly form: Form
}

export interface Executable {
  readonly path: string
  /** Chunks that are not in the snapshot, and so are loaded in every run that uses them, with the reason. */
  readonly leftOut: readonly string[]
}

/** Builds a standalone executable at `path`, with `.exe` behind it where the target wants that. */
export async function buildExecutable(
  target: string,
  { code, form }: PackedProgram,
  path: string,
): Promise<Executable> {
  const runtime = await prepareRuntime(resolveRuntime(target))
  const builder = await prepareRuntime(resolveRuntime(hostTarget))
  const output = isWindows(target) ? `${path}.exe` : path
  mkdirSync(dirname(output), { recursive: true })
  // Signing tools go by the ending.
  const draft = join(dirname(output), `.${process.pid}.${basename(output)}`)
  const directory = mkdtempSync(join(tmpdir(), 'build-'))
  try {
    // A snapshot keeps the paths of the program and of its builder, so both lie where the path says nothing.
    copyFileSync(builder, join(directory, 'node'))
    writeFileSync(join(directory, 'program.cjs'), code)
    writeFileSync(join(directory, 'config.json'), renderConfig({ runtime, output: draft, form }))
    const said = runBuilder(join(directory, 'node'), directory)
    chmodSync(draft, 0o755)
    sign(draft)
    renameSync(draft, output)
    return { path: output, leftOut: parseLeftOut(said) }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** With an empty environment, of which nothing can then be kept. Gives what the builder says. */
function runBuilder(builder: string, directory: string): string {
  const options = { cwd: directory, env: {}, encoding: 'utf8' } as const
  const { status, stderr, error } = spawnSync(builder, ['--build-sea', 'config.json'], options)
  if (status !== 0) throw new Error(`the executable cannot be built: ${stderr}`, { cause: error })
  return stderr
}

/** With the program that `SIGN_COMMAND` names, where it is set; Windows and macOS ask for a signature of their own. */
function sign(executable: string): void {
  const command = process.env.SIGN_COMMAND
  if (!command) return
  const shell = process.platform === 'win32'
  const { status, stderr } = spawnSync(resolve(root, command), [executable], { encoding: 'utf8', shell })
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`)
}

/** The part of a chunk's name that is not its digest, and the reason. */
function parseLeftOut(said: string): string[] {
  return [...said.matchAll(/^left out: (.+?)-[A-Z0-9]{8}\.js: (.*)$/gm)].map(([, name, reason]) => `${name}: ${reason}`)
}

function renderConfig({ runtime, output, form }: { runtime: string; output: string; form: Form }): string {
  return JSON.stringify({
    main: 'program.cjs',
    output,
    executable: runtime,
    disableExperimentalSEAWarning: true,
    execArgvExtension: 'none',
    useSnapshot: form === 'snapshot',
  })
}
