import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

/** A Windows machine in Wine, one per test file. */
export interface WindowsMachine {
  /** The folder for programs and files, as this side sees it. */
  readonly directory: string
  /** The Windows path of a file there, with a space and letters beyond ASCII, as in many users' names. */
  readonly pathOf: (name: string) => string
  /** Runs a program of that folder until it ends, and gives its exit status. */
  readonly run: (program: string, args: readonly string[], options?: RunOptions) => Promise<number | null>
  /** Runs a batch file of that folder until it ends, and gives its exit status. */
  readonly runScript: (script: string, options?: RunOptions) => Promise<number | null>
  /** Drive C, as this side sees it. */
  readonly systemDrive: string
  /** Ends every program and does what Windows has left for the next start, such as replacing a file that was in use. */
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

interface RunOptions {
  /** Variables added to Wine's own environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Files of the folder that the streams are written to; a stream without a file is discarded. */
  readonly stdout?: string
  readonly stderr?: string
}

/** Starts Wine with a prefix in the temporary directory. {@link WindowsMachine.close} ends its programs and removes it. */
export async function startWindowsMachine(): Promise<WindowsMachine> {
  const base = await mkdtemp(join(tmpdir(), 'gatepass-wine-'))
  const folder = ['Program Files (x86)', 'Zoë & Söhne']
  const directory = join(base, 'drive', ...folder)
  await mkdir(directory, { recursive: true })
  // Without .NET and browser, which Wine would offer to install.
  const wine = { WINEPREFIX: join(base, 'wine'), WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree=;mshtml=' }
  // No other variable is inherited, because paths of this system do not exist in Wine.
  const baseEnv = { PATH: process.env.PATH, HOME: base, LC_ALL: 'C.UTF-8', ...wine }
  await mkdir(wine.WINEPREFIX)
  await execa('winecfg', ['-v', 'win10'], { env: baseEnv, stdio: 'ignore' })
  await symlink(join(base, 'drive'), join(wine.WINEPREFIX, 'dosdevices', 'w:'))
  const run = async (command: readonly string[], { env = {}, ...streams }: RunOptions) => {
    // Streams are files, because a pipe to this process is a Unix socket, beside which Wine's own sockets fail (EBADF, seen).
    const [stdout, stderr] = [streams.stdout, streams.stderr].map((name) =>
      openSync(name === undefined ? '/dev/null' : join(directory, name), 'w'),
    )
    const child = spawn('wine', command, {
      cwd: directory,
      env: { ...baseEnv, ...env },
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
    systemDrive: join(wine.WINEPREFIX, 'drive_c'),
    restart: async () => {
      await execa('wineboot', ['--restart'], { env: baseEnv, stdio: 'ignore' })
      await execa('wineserver', ['--wait'], { env: baseEnv })
    },
    close: async () => {
      await execa('wineserver', ['--kill'], { env: baseEnv, reject: false })
      await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}
