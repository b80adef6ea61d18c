import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

/** A Windows machine by Wine, of a test file's own. */
export interface WindowsDesk {
  /** The folder for programs and files, as this side sees it. */
  readonly directory: string
  /** A file there, as Windows sees it: with a space and letters beyond ASCII, as many a user's name has them. */
  readonly pathOf: (name: string) => string
  /** Runs a program of that folder until it ends, and gives its exit status. */
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<number | null>
  /** The same of a batch file. */
  readonly runScript: (script: string, options?: RunOptions) => Promise<number | null>
  readonly close: () => Promise<void>
}

export interface RunOptions {
  /** Added to the environment that Wine gives. */
  readonly env?: Readonly<Record<string, string>>
  /** Files of the folder, in which the streams end; nobody reads a stream that is not named. */
  readonly stdout?: string
  readonly stderr?: string
}

/** Wine's prefix lies outside of the tree, and everything of it ends and goes with {@link WindowsDesk.close}. */
export async function startWindowsDesk(): Promise<WindowsDesk> {
  const base = await mkdtemp(join(tmpdir(), 'gatepass-wine-'))
  const folder = ['Program Files (x86)', 'Zoë & Söhne']
  const directory = join(base, 'drive', ...folder)
  await mkdir(directory, { recursive: true })
  // Without its own .NET and browser, for which Wine would ask.
  const wine = { WINEPREFIX: join(base, 'wine'), WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree=;mshtml=' }
  // Nothing else of this side: a variable that names a file here names none there.
  const surroundings = { PATH: process.env.PATH, HOME: base, LC_ALL: 'C.UTF-8', ...wine }
  await mkdir(wine.WINEPREFIX)
  await execa('winecfg', ['-v', 'win10'], { env: surroundings, stdio: 'ignore' })
  await symlink(join(base, 'drive'), join(wine.WINEPREFIX, 'dosdevices', 'w:'))
  const run = async (command: readonly string[], { env = {}, ...streams }: RunOptions) => {
    // The files themselves: a pipe to this process is a Unix socket, beside which Wine's own sockets fail (EBADF, seen).
    const [stdout, stderr] = [streams.stdout, streams.stderr].map((name) =>
      openSync(name === undefined ? '/dev/null' : join(directory, name), 'w'),
    )
    const child = spawn('wine', command, {
      cwd: directory,
      env: { ...surroundings, ...env },
      stdio: ['ignore', stdout, stderr],
    })
    const [status] = await once(child, 'exit')
    for (const descriptor of [stdout, stderr]) if (descriptor !== undefined) closeSync(descriptor)
    return status
  }
  const pathOf = (name: string) => ['W:', ...folder, name].join('\\')
  return {
    directory,
    pathOf,
    run: (program, args, options = {}) => run([join(directory, program), ...args], options),
    runScript: (script, options = {}) => run(['cmd', '/d', '/c', script], options),
    close: async () => {
      await execa('wineserver', ['--kill'], { env: surroundings, reject: false })
      await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}
