// Folder: the runtime of every program: the host, failures, secrets, the deadline, child processes.

import { accessSync, constants } from 'node:fs'
import { homedir, hostname, uptime } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import type { Clock } from './deadline.ts'
import type { Environment } from './run-process.ts'
import { createStreams, type Streams } from './standard-streams.ts'

/** Everything that a program uses of the system. Besides this file, only the command (`src/cli`) touches `process`. */
export interface Host {
  /** Arguments after the program's name. */
  readonly argv: readonly string[]
  readonly env: Environment
  readonly home: string
  readonly platform: NodeJS.Platform
  /** The directory of the machine's configuration, where only an administrator can write. */
  readonly machineDirectory: string
  readonly runtimeVersion: string
  readonly clock: Clock
  readonly streams: Streams
  /**
   * The command line that starts this program as the helper of this host, before its arguments; absent if the arguments of the process
   * end with those of the host, because the command line then follows from them.
   */
  readonly ownCommand?: OwnCommand
}

/** Wraps this process. The outermost line of a program calls it once. */
export function createSystemHost(): Host {
  // Node and libraries would announce deprecations on stderr, which is for our messages only.
  process.removeAllListeners('warning')
  return createHost()
}

/**
 * Creates the host for a library. The process that loads it stays unchanged, except that `HOME` is set if the system does not know this
 * user.
 */
export function createHost(): Host {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    home: locateHome(),
    platform: process.platform,
    machineDirectory: locateMachineDirectory(process.platform, process.execPath),
    runtimeVersion: process.versions.node,
    clock: {
      now: Date.now,
      startedAt: Date.now() - process.uptime() * 1000,
      elapsedMs: () => process.uptime() * 1000,
      bootedAt: Date.now() - uptime() * 1000,
    },
    streams: createStreams({
      attached: observeAttached,
      input: () => process.stdin,
      columns: () => process.stdout.columns,
      countThreadRequests,
      open: { 1: () => process.stdout, 2: () => process.stderr },
    }),
  }
}

/** The home directory if there is none. Nothing is created below it. */
export const noHome = '/nonexistent'

/** Locates the home directory. A relative one is not used, because it would be another directory for every client. */
function locateHome(): string {
  try {
    const home = homedir()
    if (isAbsolute(home)) return home
  } catch {
    // The system does not know this user, as in a container that runs under an arbitrary user id. Libraries ask once more, and
    // would throw in the middle of their work.
    process.env.HOME = noHome
  }
  return noHome
}

/** The directory of a macOS user below the home, or of the machine below the root, for files that must not be lost. */
export const macosSupport = 'Library/Application Support'

/** Locates the directory of the machine's configuration; on Windows the executable's, to which users cannot write. */
export function locateMachineDirectory(platform: NodeJS.Platform, executable: string): string {
  switch (platform) {
    case 'win32':
      return dirname(executable)
    case 'darwin':
      return machineDirectories.macos
    default:
      return machineDirectories.linux
  }
}

/** The directories for the files of a machine, on systems that have one place for them. */
export const machineDirectories = { macos: `/${macosSupport}/Gatepass`, linux: '/etc/gatepass' } as const

/** The program that writes to the system's log on Linux and macOS. The path is absolute, so that no other program of this name runs. */
export const systemLogger = '/usr/bin/logger'

/** Reports uncaught errors in place of Node, whose own report may repeat a secret. */
export function reportCrashes(report: (thrown: unknown) => void): void {
  process.on('uncaughtException', report)
}

/** Lists the names under which this process was started: the caller's, which may be a symbolic link, and the system's. */
export function listProgramNames(): string[] {
  return [process.argv0, process.execPath]
}

/** A command line, and the name under which the program is started. */
export interface OwnCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly argv0: string
}

/** Prepares the command that starts this program again, without its arguments: from source, as a bundle, or as an executable. */
export function prepareOwnProgram(args: readonly string[]): OwnCommand {
  const script = process.getBuiltinModule('node:sea').isSea() ? [] : [...process.execArgv, ...process.argv.slice(1, 2)]
  return { program: process.execPath, args: [...script, ...args], argv0: process.argv0 }
}

/**
 * Prepares the command that starts this program again as the helper of a host, including the arguments that chose it.
 * @param wanted The arguments in place of those that the program took for the helper's own, which are `argv`.
 */
export function prepareOwnCommand(
  { argv, ownCommand }: Pick<Host, 'argv' | 'ownCommand'>,
  wanted: readonly string[],
): OwnCommand {
  if (ownCommand) return { ...ownCommand, args: [...ownCommand.args, ...wanted] }
  const all = process.argv.slice(2)
  return prepareOwnProgram([...all.slice(0, all.length - argv.length), ...wanted])
}

/**
 * Prepares the command that starts this program as another of its helpers.
 * @param argv See {@link prepareOwnCommand}; the arguments before them chose the helper, unless its name did.
 */
export function prepareBesideCommand(argv: readonly string[], name: string): OwnCommand {
  const { program, args, argv0 } = prepareOwnCommand({ argv }, [])
  // An executable takes the name that it is started under, and a script its first argument.
  if (process.getBuiltinModule('node:sea').isSea()) return { program, args: [], argv0: name }
  return { program, args: process.argv.length - 2 > argv.length ? [...args.slice(0, -1), name] : args, argv0 }
}

/**
 * Finds the words with which a person starts this executable, if its caller wrote a path; `undefined` if it was found by its name, or if
 * Node runs it from a file.
 * @param argv See {@link prepareOwnCommand}.
 */
export function findTypedWords(argv: readonly string[]): string[] | undefined {
  const { args, argv0 } = prepareOwnCommand({ argv }, [])
  return process.getBuiltinModule('node:sea').isSea() && /[\\/]/.test(argv0) ? [argv0, ...args] : undefined
}

/** Ends this process as Ctrl-C does, for a program that reads the keys itself, so that a waiting shell stops too. */
export function endByInterrupt(): void {
  process.kill(process.pid, 'SIGINT')
}

/** Reports the name of this machine; empty if the system has none. */
export function observeMachineName(): string {
  try {
    return hostname()
  } catch {
    return ''
  }
}

export function observeProcessId(): number {
  return process.pid
}

/** Reports the process ID of the parent, or of the process that has taken its place since. */
export function observeParentProcessId(): number {
  return process.ppid
}

/** Returns whether the system has process groups, which find descendants after their parent has ended. */
export function hasProcessGroups(): boolean {
  return process.platform !== 'win32'
}

/**
 * Returns whether a process of a group is still running. POSIX only.
 * @param leader The process ID of a child that was started `detached`.
 */
export function isProcessGroupAlive(leader: number): boolean {
  try {
    return process.kill(-leader, 0)
  } catch {
    return false // ESRCH: no process is left
  }
}

/** Returns whether a process of this user is still running. */
export function isProcessAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // ESRCH
  }
}

/** Kills every process of a group; see {@link isProcessGroupAlive}. */
export function endProcessGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // ESRCH: the last process has ended by itself
  }
}

/** Finds the effective user ID; `undefined` on Windows, which has none. */
export function findEffectiveUser(): number | undefined {
  return process.geteuid?.()
}

/**
 * Ends the process with `status`. While a thread waits in a system call, neither `process.exitCode` nor `process.exit` ends
 * Node (seen). For `abandoned` work the process therefore replaces itself by a shell that exits with the status (`execve`), or
 * sends itself a signal where it cannot.
 */
export function endProcess(status: number, work: 'finished' | 'abandoned'): void {
  // Exits at once: a turn later the runtime would first free the memory that the system frees anyway.
  if (work === 'finished' && !isThreadBusy()) process.exit(status)
  process.exitCode = status
  // Read in the next turn of the event loop, because a request is active until its callback has returned.
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
 * Returns whether a thread reads or writes a file or looks up a name, which abandoned work may do forever. Windows waits for it, because
 * only a signal would interrupt it there.
 */
function isThreadBusy(): boolean {
  return countThreadRequests() > 0
}

/** Counts the requests in threads, or waiting for a thread, as far as the runtime lists them. */
function countThreadRequests(): number {
  return process.getActiveResourcesInfo().filter((resource) => threadResources.has(resource)).length
}

const threadResources = new Set([
  'FSReqCallback',
  'FSReqPromise',
  'CloseReq',
  'GetAddrInfoReqWrap',
  'GetNameInfoReqWrap',
])

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

/**
 * Returns whether `execve` can start a program. Windows and Node before 22.15 do not have it, and it would abort this process if the program
 * is missing.
 */
function isExecutable(program: string): boolean {
  if (process.platform === 'win32' || process.execve === undefined) return false
  try {
    accessSync(program, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Loads `node:tty` on use, because only a run without a client needs it. */
function observeAttached(): 'terminal' | 'pipe' {
  const { isatty } = process.getBuiltinModule('node:tty')
  return isatty(0) && isatty(2) ? 'terminal' : 'pipe'
}
