import { HelperError } from '../../runtime/failure.ts'
import type { Foreign } from '../../runtime/foreign.ts'
import type { Environment } from '../../runtime/run-process.ts'
import type { GivenAddress, ListenAddress } from './listen-address.ts'
import type { Log } from './log.ts'

/**
 * Finds the socket that the service manager has passed, by sd_listen_fds(3); other addresses stay as they are.
 * @param option The option that named the address, for hints.
 * @throws {HelperError} `not-configured` if there is no such socket, or more than one.
 */
export function requirePassedSocket(address: GivenAddress, option: string, manager: ManagedProcess): ListenAddress {
  if (address.kind !== 'passed') return address
  const passed = listPassedSockets(manager)
  const suiting = passed.filter(({ name }) => address.name === undefined || address.name === name)
  const [found] = suiting
  if (found && suiting.length === 1) return { kind: 'descriptor', ...found }
  const names = [...new Set(passed.map(({ name }) => name))].join(', ')
  if (passed.length === 0)
    throw new HelperError(
      'not-configured',
      `${option}: systemd has passed no socket to this process`,
      `start the socket unit, not the service alone, or name HOST:PORT or a path with ${option}`,
    )
  throw new HelperError(
    'not-configured',
    `${option}: systemd has passed ${suiting.length === 0 ? 'no socket of this name' : 'several sockets'}, of those named ${names}`,
    `name one of them with ${option} systemd:NAME; FileDescriptorName= of the socket unit sets the name`,
  )
}

/** The first descriptor that is passed: `SD_LISTEN_FDS_START` of sd_listen_fds(3). */
const firstDescriptor = 3

/** This process as its service manager, such as systemd, knows it: its variables and its own number. */
interface ManagedProcess {
  readonly env: Environment
  readonly processId: number
}

/** Variables that were meant for another process, such as a parent, count for nothing, and neither does a number that no unit has. */
function listPassedSockets({ env, processId }: ManagedProcess): { fd: number; name: string }[] {
  const { LISTEN_FDS: count = '' } = env
  if (env.LISTEN_PID !== String(processId) || !/^\d{1,4}$/.test(count)) return []
  const names = env.LISTEN_FDNAMES?.split(':') ?? []
  return Array.from({ length: Number(count) }, (_, index) => ({
    fd: firstDescriptor + index,
    name: names[index] ?? 'unknown',
  }))
}

/** Tells the service manager what the server does: sd_notify(3). */
interface Notifier {
  /** The server answers; `text` is shown by `systemctl status`. From now on the watchdog is told that the process lives, if it asks. */
  ready(text: string): void
  /** The files are read again; `ready` ends it. */
  reloading(): void
  stopping(): void
  close(): void
}

/**
 * Opens the notifier of the socket that `NOTIFY_SOCKET` names; without it, telling does nothing. What cannot be told is a warning in the
 * log, once.
 */
export async function openNotifier({ env, processId }: ManagedProcess, log: Log): Promise<Notifier> {
  const { NOTIFY_SOCKET: path } = env
  if (!path) return { ready: () => {}, reloading: () => {}, stopping: () => {}, close: () => {} }
  const send = await openDatagrams(path)
  let isTold = true
  const tell = (...lines: string[]) => {
    if (send(lines.join('\n'))) return
    const message = `the service manager cannot be told "${lines[0]}" at ${path}`
    if (isTold) log.tell({ level: 'warning', event: 'notify', message })
    isTold = false
  }
  let watchdog: NodeJS.Timeout | undefined
  return {
    ready(text) {
      tell('READY=1', `STATUS=${text}`)
      watchdog ??= startWatchdog({ env, processId }, () => tell('WATCHDOG=1'))
    },
    reloading: () => tell('RELOADING=1'),
    stopping: () => tell('STOPPING=1'),
    close: () => clearInterval(watchdog),
  }
}

/** Tells it twice in the time after which the manager would end the process: sd_watchdog_enabled(3). */
function startWatchdog({ env, processId }: ManagedProcess, tell: () => void): NodeJS.Timeout | undefined {
  const microseconds = Number(env.WATCHDOG_USEC)
  if (!(microseconds > 0) || (env.WATCHDOG_PID ?? String(processId)) !== String(processId)) return undefined
  return setInterval(tell, Math.min(microseconds / 2000, longestTimerMs)).unref()
}

/** A longer interval becomes a millisecond in Node. */
const longestTimerMs = 2 ** 31 - 1

/** Sends one text; whether the system took it. */
type Send = (text: string) => boolean

/**
 * Opens a datagram socket of Unix, for which Node has no API, by the functions of the C library. `systemd-notify` would be a process for
 * every sign of life, which systemd may no longer find when it looks who has sent it, and no container has it.
 */
async function openDatagrams(path: string): Promise<Send> {
  const library = await openLibrary().catch(() => undefined)
  if (!library) return () => false
  const { functions } = library
  const socket = functions.socket(constants.unix, constants.datagram | constants.closeOnExec, 0)
  const address = renderSocketAddress(path)
  return (text) => {
    const bytes = Buffer.from(text)
    const flags = constants.dontWait | constants.noSignal
    return (
      functions.sendto(socket, bytes, BigInt(bytes.length), flags, address, address.length) === BigInt(bytes.length)
    )
  }
}

/** `AF_UNIX`, `SOCK_DGRAM`, `SOCK_CLOEXEC`, `MSG_DONTWAIT` and `MSG_NOSIGNAL` of Linux on x64 and arm64. */
const constants = { unix: 1, datagram: 2, closeOnExec: 0o2000000, dontWait: 0x40, noSignal: 0x4000 } as const

/** `struct sockaddr_un` of unix(7); a path that begins with `@` is an abstract one, which begins with a zero byte. */
function renderSocketAddress(path: string): Buffer {
  const name = Buffer.from(path)
  if (path.startsWith('@')) name[0] = 0
  return Buffer.concat([new Uint8Array(new Uint16Array([constants.unix]).buffer), name])
}

/** Node has foreign functions from 26.9 on, and every standalone executable has them. @throws without them, and without glibc. */
async function openLibrary() {
  const ffi: Foreign = await import('node:ffi')
  return ffi.dlopen('libc.so.6', {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    sendto: { arguments: ['i32', 'pointer', 'u64', 'i32', 'pointer', 'u32'], return: 'i64' },
  })
}
