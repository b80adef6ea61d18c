import { accessSync, constants, writeSync } from 'node:fs'
import { homedir, uptime } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import type { Clock } from './deadline.ts'
import type { Environment } from './environment.ts'
import type { Run } from './run-process.ts'

export interface Streams {
  /** Writes the one document of a run. Throws with the system's error code, for example `EPIPE`. */
  stdout(text: string): void
  /** Writes lines for people. A reader that went away is nobody's loss. */
  stderr(text: string): void
  /** Whether a person sits at the other end of stdin and stderr. */
  attached(): 'terminal' | 'pipe'
}

/** The world as a program of ours sees it. Only this file touches `process`. */
export interface Host {
  /** Arguments after the program's name. */
  readonly argv: readonly string[]
  readonly env: Environment
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Where only an administrator writes configuration. */
  readonly machineDirectory: string
  /** Version of the JavaScript runtime inside. */
  readonly runtimeVersion: string
  readonly clock: Clock
  readonly run: Run
  readonly streams: Streams
}

/** The real world. Called once, by the outermost line of a program. */
export function createSystemHost(): Host {
  // Runtime and libraries announce deprecations on stderr, which belongs to our messages alone.
  process.removeAllListeners('warning')
  return {
    argv: process.argv.slice(2),
    env: process.env,
    home: homeDirectory(),
    platform: process.platform,
    machineDirectory: locateMachineDirectory(process.platform, process.execPath),
    runtimeVersion: process.versions.node,
    clock: {
      now: Date.now,
      startedAt: Date.now() - process.uptime() * 1000,
      elapsedMs: () => process.uptime() * 1000,
      bootedAt: Date.now() - uptime() * 1000,
    },
    run: async (request) => (await import('./run-process.ts')).runProcess(request),
    streams: {
      stdout: (text) => writeFully(1, text),
      stderr: writeForPeople,
      attached,
    },
  }
}

/** Stands for no home, where nothing may be made either. */
export const noHome = '/nonexistent'

/** A place that does not exist stands for no home: a relative one would be looked for wherever the client happens to be. */
function homeDirectory(): string {
  try {
    const home = homedir()
    if (isAbsolute(home)) return home
  } catch {
    // The system knows no such user, as in a container that runs under a number of its own.
  }
  return noHome
}

/** Where a system keeps the machine's file; on Windows it lies beside the executable, where users cannot write. */
export function locateMachineDirectory(platform: NodeJS.Platform, executable: string): string {
  switch (platform) {
    case 'win32':
      return dirname(executable)
    case 'darwin':
      return '/Library/Application Support/Gatepass'
    default:
      return '/etc/gatepass'
  }
}

/** Tells of anything thrown where nobody waits for it, in place of the runtime's own report, which may repeat a secret. */
export function onCrash(report: (thrown: unknown) => void): void {
  process.on('uncaughtException', report)
}

/** Under which names this process was started: as its caller says, which keeps a symbolic link's name, and as the system does. */
export function listProgramNames(): string[] {
  return [process.argv0, process.execPath]
}

/** The number by which this process is known to the system. */
export function processId(): number {
  return process.pid
}

/** Whether descendants can be found when the process that started them is gone; on Windows they go with it or never. */
export function hasProcessGroups(): boolean {
  return process.platform !== 'win32'
}

/** Whether any process is left in the group that a child started `detached` leads. POSIX only. */
export function isProcessGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0)
  } catch {
    return false // ESRCH: nobody is left
  }
}

/** Ends every process in such a group. */
export function endProcessGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: the last one ended by itself in the meantime
  }
}

/** The user whose rights this process has; `undefined` where the system has no such numbers. */
export function effectiveUser(): number | undefined {
  return process.geteuid?.()
}

/**
 * Ends the process with `status`. A thread stuck in the operating system keeps both `process.exitCode` and
 * `process.exit` from ending Node (seen), so that `abandoned` work is cut off in another way: what ends the process with
 * its status is to become another program, which does nothing else; where that cannot be, a signal to itself.
 */
export function endProcess(status: number, work: 'finished' | 'abandoned'): void {
  // At once, because a turn later the runtime would first clear up what the system takes back anyway.
  if (work === 'finished' && !isThreadBusy()) process.exit(status)
  process.exitCode = status
  // In the next turn, because a request counts as active while its own answer is being dealt with.
  setImmediate(() => {
    if (work === 'finished' && (process.platform === 'win32' || !isThreadBusy())) process.exit(status)
    if (canBecome(shell)) process.execve!(shell, ['sh', '-c', `exit ${status}`], {})
    // Windows cannot, and a signal there has a status of its own.
    if (
      process.platform === 'win32' &&
      process.getActiveResourcesInfo().every((resource) => endsWithExit.has(resource))
    )
      process.exit(status)
    process.kill(process.pid, 'SIGKILL')
  })
}

/**
 * Whether somebody still asks the system for a file or a name, who need not be waited for: one of two reads has failed, or
 * an attempt to connect was given up. Windows, where nothing but a signal would cut it off, waits.
 */
function isThreadBusy(): boolean {
  return process.getActiveResourcesInfo().some((resource) => inThreads.has(resource))
}

const inThreads = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'GetNameInfoReqWrap'])

/** Resources that live in the event loop, so that none of them keeps a thread busy. */
const endsWithExit = new Set(['Timeout', 'Immediate', 'PipeWrap', 'ProcessWrap', 'TCPSocketWrap', 'TLSWrap', 'TTYWrap'])

const shell = '/bin/sh'

/** Not on Windows, and not before Node 22.15. A program that is missing would end the process with a dump. */
function canBecome(program: string): boolean {
  if (process.platform === 'win32' || process.execve === undefined) return false
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Makes requests that name no agent go directly: with `NODE_USE_ENV_PROXY` the runtime would send even those to this
 * machine's own metadata service through a proxy.
 */
export function ignoreRuntimeProxy(): void {
  const http = process.getBuiltinModule('node:http')
  http.globalAgent = new http.Agent()
}

/** Asked only where no client says why it runs us, so the module is loaded only then. */
function attached(): 'terminal' | 'pipe' {
  const { isatty } = process.getBuiltinModule('node:tty')
  return isatty(0) && isatty(2) ? 'terminal' : 'pipe'
}

/** Writes the whole text, however little the descriptor takes at a time. Throws with the system's error code. */
export function writeFully(descriptor: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      // A parent may have made the pipe non-blocking; the reader is only slow.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

function writeForPeople(text: string): void {
  try {
    writeFully(2, text)
  } catch {
    // Nobody reads stderr: there is no other place to say so, and the exit status still tells.
  }
}
