import { HelperError } from '../../runtime/failure.ts'
import type { Foreign } from '../../runtime/foreign-functions.ts'
import type { Environment } from '../../runtime/run-process.ts'
import type { GivenAddress, ListenAddress } from './listen-address.ts'
import type { Log } from './log.ts'

/**
 * Finds the socket that the service manager has passed (sd_listen_fds(3)); other addresses stay unchanged.
 * @param option The option that states the address, for hints.
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

/** `SD_LISTEN_FDS_START` of sd_listen_fds(3): the number of the first passed descriptor. */
const firstDescriptor = 3

/** This process from the view of its service manager, such as systemd: its variables and its process id. */
interface ManagedProcess {
  readonly env: Environment
  readonly processId: number
}

/** Ignores variables for another process, such as a parent, and a count that no unit can have. */
function listPassedSockets({ env, processId }: ManagedProcess): { fd: number; name: string }[] {
  const { LISTEN_FDS: count = '' } = env
  if (env.LISTEN_PID !== String(processId) || !/^\d{1,4}$/.test(count)) return []
  const names = env.LISTEN_FDNAMES?.split(':') ?? []
  return Array.from({ length: Number(count) }, (_, index) => ({
    fd: firstDescriptor + index,
    name: names[index] ?? 'unknown',
  }))
}

/** Reports the server's state to the service manager: sd_notify(3). */
interface Notifier {
  /** The server is ready; `systemctl status` shows `text`. If the watchdog is enabled, keep-alive messages start now. */
  ready(text: string): void
  /** The files are being read again, until `ready` is called. */
  reloading(): void
  stopping(): void
  close(): void
}

/**
 * Opens the notifier for the socket in `NOTIFY_SOCKET`; without the variable, nothing is sent. The first failure to send is a warning in
 * the log.
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

/**
 * Opens a Unix datagram socket with the functions of the C library, because Node has no API for it. `systemd-notify` would start a process
 * for every keep-alive, which may have ended before systemd looks up the sender, and containers do not have it.
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

/** Sends a keep-alive twice in each period after which the manager would end the process: sd_watchdog_enabled(3). */
function startWatchdog({ env, processId }: ManagedProcess, tell: () => void): NodeJS.Timeout | undefined {
  const microseconds = Number(env.WATCHDOG_USEC)
  if (!(microseconds > 0) || (env.WATCHDOG_PID ?? String(processId)) !== String(processId)) return undefined
  return setInterval(tell, Math.min(microseconds / 2000, longestTimerMs)).unref()
}

/** The longest delay of a Node timer; a longer one becomes a millisecond. */
const longestTimerMs = 2 ** 31 - 1

/** Sends one text. Returns whether the system accepted it. */
type Send = (text: string) => boolean

/**
 * Loads the C library with foreign functions, which Node has since 26.9 and every standalone executable includes.
 * @throws without them, and without glibc.
 */
async function openLibrary() {
  const ffi: Foreign = await import('node:ffi')
  return ffi.dlopen('libc.so.6', {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    sendto: { arguments: ['i32', 'pointer', 'u64', 'i32', 'pointer', 'u32'], return: 'i64' },
  })
}

/** Renders `struct sockaddr_un` of unix(7). A path that begins with `@` is an abstract address, which begins with a zero byte. */
function renderSocketAddress(path: string): Buffer {
  const name = Buffer.from(path)
  if (path.startsWith('@')) name[0] = 0
  return Buffer.concat([new Uint8Array(new Uint16Array([constants.unix]).buffer), name])
}
