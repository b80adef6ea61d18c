import { accessSync, constants } from 'node:fs'
import { homedir, hostname, uptime } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import type { Clock } from './deadline.ts'
import type { Environment } from './environment.ts'
import { createStreams, type Streams } from './standard-streams.ts'

/** Everything that a program of ours uses of the system. Only this file touches `process`. */
export interface Host {
  /** Arguments after the program's name. */
  readonly argv: readonly string[]
  readonly env: Environment
  readonly home: string
  readonly platform: NodeJS.Platform
  /** The directory of the machine's configuration, where only an administrator can write. */
  readonly machineDirectory: string
  /** Version of Node. */
  readonly runtimeVersion: string
  readonly clock: Clock
  readonly streams: Streams
  /** How this program is started as the helper that runs beside the one that was chosen; absent for that one. */
  readonly ownCommand?: OwnCommand
}

/** The host of this process. Called once, by the outermost line of a program. */
export function createSystemHost(): Host {
  // Node and libraries announce deprecations on stderr, where only our messages may stand.
  process.removeAllListeners('warning')
  return createHost()
}

/** The same for a library, which leaves the process of others as it is. */
export function createHost(): Host {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    home: findHome(),
    platform: process.platform,
    machineDirectory: locateMachineDirectory(process.platform, process.execPath),
    runtimeVersion: process.versions.node,
    clock: {
      now: Date.now,
      startedAt: Date.now() - process.uptime() * 1000,
      elapsedMs: () => process.uptime() * 1000,
      bootedAt: Date.now() - uptime() * 1000,
    },
    streams: createStreams({ attached, input: () => process.stdin, columns: () => process.stdout.columns }),
  }
}

/** Stands for the home directory of a user who has none. Nothing is created below it. */
export const noHome = '/nonexistent'

/** A relative home is not used: it would be another directory for every client. */
function findHome(): string {
  try {
    const home = homedir()
    if (isAbsolute(home)) return home
  } catch {
    // The system knows no such user, as in a container that runs under an arbitrary user id. Libraries ask once more, and
    // would throw in the middle of their work.
    process.env.HOME = noHome
  }
  return noHome
}

/** The directory of the machine's configuration; on Windows that of the executable, where users cannot write. */
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

/** Reports uncaught errors in place of Node, whose own report may repeat a secret. */
export function reportCrashes(report: (thrown: unknown) => void): void {
  process.on('uncaughtException', report)
}

/** The names under which this process was started: by its caller, which keeps the name of a symbolic link, and by the system. */
export function listProgramNames(): string[] {
  return [process.argv0, process.execPath]
}

/** A command line, and the name under which the program is started. */
export interface OwnCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly argv0: string
}

/** How to start this program once more, whatever it has been asked to do: from source, as a bundle, as an executable. */
export function findOwnProgram(args: readonly string[]): OwnCommand {
  const script = process.getBuiltinModule('node:sea').isSea() ? [] : [...process.execArgv, ...process.argv.slice(1, 2)]
  return { program: process.execPath, args: [...script, ...args], argv0: process.argv0 }
}

/**
 * The same, for the helper that was chosen: also by what stands before its own arguments.
 * @param given The arguments that the program took for the helper's own.
 * @param wanted The arguments in their place.
 */
export function findOwnCommand(given: readonly string[], wanted: readonly string[]): OwnCommand {
  const all = process.argv.slice(2)
  return findOwnProgram([...all.slice(0, all.length - given.length), ...wanted])
}

/**
 * How to start this program as another helper that it holds.
 * @param given As above: what stands before them chose the helper, where its name did not.
 */
export function findBesideCommand(given: readonly string[], name: string): OwnCommand {
  const { program, args, argv0 } = findOwnCommand(given, [])
  // An executable takes the name that it is started under, and a script its first argument.
  if (process.getBuiltinModule('node:sea').isSea()) return { program, args: [], argv0: name }
  return { program, args: process.argv.length - 2 > given.length ? [...args.slice(0, -1), name] : args, argv0 }
}

/** Ends this process as Ctrl-C does, for a program that reads the keys itself: a shell that waits for it stops, too. */
export function endByInterrupt(): void {
  process.kill(process.pid, 'SIGINT')
}

/** The name of this machine; empty where the system tells none. */
export function findMachineName(): string {
  try {
    return hostname()
  } catch {
    return ''
  }
}

/** The process id. */
export function findProcessId(): number {
  return process.pid
}

/** The process id of whoever started this process, or of who has taken its place since. */
export function findParentProcessId(): number {
  return process.ppid
}

/** Whether the system has process groups, by which descendants are found after the process that started them has ended. */
export function hasProcessGroups(): boolean {
  return process.platform !== 'win32'
}

/** Whether any process is left in the group of a child that was started `detached`. POSIX only. */
export function isProcessGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0)
  } catch {
    return false // ESRCH: no process is left
  }
}

/** Kills every process of such a group. */
export function endProcessGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: the last process has ended by itself
  }
}

/** The effective user id; `undefined` on Windows, which has none. */
export function findEffectiveUser(): number | undefined {
  return process.geteuid?.()
}

/**
 * Ends the process with `status`. While a thread waits in a system call, neither `process.exitCode` nor `process.exit` ends
 * Node (seen). For `abandoned` work the process therefore replaces itself by a shell that exits with the status (`execve`), or
 * sends itself a signal where it cannot.
 */
export function endProcess(status: number, work: 'finished' | 'abandoned'): void {
  // Exits at once, because a turn later the runtime would first free what the system frees anyway.
  if (work === 'finished' && !isThreadBusy()) process.exit(status)
  process.exitCode = status
  // In the next turn of the event loop, because a request is active until its callback has returned.
  setImmediate(() => {
    if (work === 'finished' && (process.platform === 'win32' || !isThreadBusy())) process.exit(status)
    if (isExecutable(shell)) process.execve!(shell, ['sh', '-c', `exit ${status}`], {})
    // Windows has no `execve`, and a signal there changes the status.
    if (
      process.platform === 'win32' &&
      process.getActiveResourcesInfo().every((resource) => loopResources.has(resource))
    )
      process.exit(status)
    process.kill(process.pid, 'SIGKILL')
  })
}

/**
 * Whether a thread still reads a file or looks up a name for work that was given up. Windows waits for it, because only a
 * signal would interrupt it there.
 */
function isThreadBusy(): boolean {
  return process.getActiveResourcesInfo().some((resource) => threadResources.has(resource))
}

const threadResources = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'GetNameInfoReqWrap'])

/** Resources of the event loop, which keep no thread busy. */
const loopResources = new Set([
  'Timeout',
  'Immediate',
  'PipeWrap',
  'ProcessWrap',
  'TCPSocketWrap',
  'TLSWrap',
  'TTYWrap',
])

const shell = '/bin/sh'

/** Whether `execve` can start a program: not on Windows, nor before Node 22.15. With a missing program it would abort the process. */
function isExecutable(program: string): boolean {
  if (process.platform === 'win32' || process.execve === undefined) return false
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Loads `node:tty` on use, because only a run without a client asks. */
function attached(): 'terminal' | 'pipe' {
  const { isatty } = process.getBuiltinModule('node:tty')
  return isatty(0) && isatty(2) ? 'terminal' : 'pipe'
}
