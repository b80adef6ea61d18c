import { chmod, chown, lstat, readFile, readlink, unlink } from 'node:fs/promises'
import { connect, type ListenOptions, type Server } from 'node:net'
import { findErrorCode, HelperError } from '../../runtime/failure.ts'
import { toPort } from '../../runtime/network/local-server.ts'
import { type ListenAddress, renderListenAddress } from './listen-address.ts'

/**
 * Makes a server listen at an address.
 * @returns The address with the actual port.
 * @throws {HelperError} `refused` for an address that cannot be used, such as one at which another program listens.
 */
export async function listenOn(
  server: Server,
  { address, socketMode, socketGroup, option }: ListenSettings,
): Promise<ListenAddress> {
  if (address.kind === 'socket') await removeStaleSocket(address.path, option)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (cause: NodeJS.ErrnoException) => reject(toFailure(address, option, cause)))
  server.listen({ ...toPlace(address), backlog }, resolve)
  await promise
  if (address.kind === 'descriptor') return locatePassedAddress(server, address)
  if (address.kind === 'tcp') return { ...address, port: toPort(server) }
  if (socketGroup !== undefined) await changeGroup(server, address.path, socketGroup)
  await chmod(address.path, socketMode)
  return address
}

interface ListenSettings {
  readonly address: ListenAddress
  /** The mode of a Unix socket, such as `0o660`. */
  readonly socketMode: number
  /** The numeric group of a Unix socket; the group of the process if absent. */
  readonly socketGroup?: number | undefined
  /** The option that named the address, for hints. */
  readonly option: string
}

/** Removes the socket of a verifier that has ended without removing it. A socket with a listener stays, and so does any other file. */
async function removeStaleSocket(path: string, option: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats) return
  if (!stats.isSocket())
    throw new HelperError('refused', `${path} exists and is not a socket`, `name another path with ${option}`)
  if ((await connectOnce(path)) === 'ECONNREFUSED') await unlink(path)
}

function toFailure(address: ListenAddress, option: string, { code = '', cause }: NodeJS.ErrnoException): HelperError {
  const where = renderListenAddress(address)
  const advice = advices[address.kind][code] ?? `name an address of this machine that this user may use with ${option}`
  return new HelperError('refused', `${where} cannot be used (${code})`, advice.replace('OPTION', option), { cause })
}

const usedAddress = 'end what listens there, or name another address with OPTION'
const missingDirectory =
  'create the directory of the socket, where this user may write, or name another path with OPTION'

/** The hints by the system's error code. */
const advices: Readonly<Record<ListenAddress['kind'], Readonly<Record<string, string>>>> = {
  tcp: {
    EADDRINUSE: usedAddress,
    EACCES: 'name a port from 1024 on with OPTION, or give this user the right to lower ones',
    ENOTFOUND: 'correct the name of the host with OPTION, or write its address',
  },
  socket: {
    EADDRINUSE: usedAddress,
    // On Linux this code also appears if the directory is missing (observed).
    EACCES: missingDirectory,
    ENOENT: missingDirectory,
    EINVAL: 'name a shorter path with OPTION: the system takes about 100 bytes',
  },
  descriptor: {
    EINVAL: 'let a socket unit pass a socket that listens: ListenStream=, without Accept=yes',
  },
}

function toPlace(address: ListenAddress): ListenOptions | { readonly fd: number } {
  if (address.kind === 'socket') return { path: address.path }
  if (address.kind === 'descriptor') return { fd: address.fd }
  if (address.host === '*') return { port: address.port } // Node: `::` with IPv4 too, and 0.0.0.0 where there is no IPv6
  return { host: address.host, port: address.port }
}

/** Locates the address of a socket from the service manager, which has already set its mode and group. */
async function locatePassedAddress(
  server: Server,
  { fd, name }: Extract<ListenAddress, { kind: 'descriptor' }>,
): Promise<ListenAddress> {
  const bound = server.address()
  if (bound !== null && typeof bound === 'object') return { kind: 'tcp', host: bound.address, port: bound.port }
  return { kind: 'socket', path: (await findSocketPath(fd)) ?? `systemd:${name}` }
}

/** Node does not report the path of a Unix socket that it did not bind, but Linux does (proc(5)). */
async function findSocketPath(fd: number): Promise<string | undefined> {
  try {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(await readlink(`/proc/self/fd/${fd}`)) ?? []
    const rows = (await readFile('/proc/self/net/unix', 'utf8')).split('\n').map((row) => row.split(/ +/))
    return rows
      .find((row) => row[6] === inode)
      ?.slice(7)
      .join(' ')
  } catch {
    return undefined // the path is only for display
  }
}

/**
 * How many connections may wait to be accepted; the system may lower the number. A gateway without keep-alive opens a connection for each
 * request, and beyond Node's default of 511 connections are lost silently.
 */
const backlog = 4_096

/** Changes the group before the mode is set, so that the mode never opens the socket to another group. */
async function changeGroup(server: Server, path: string, group: number): Promise<void> {
  try {
    await chown(path, -1, group) // -1 keeps the owner (chown(2))
  } catch (cause) {
    server.close()
    const code = findErrorCode(cause)
    const hint = 'name a group that the user of the verifier is in with --socket-group'
    throw new HelperError('refused', `the group of ${path} cannot be ${group} (${code})`, hint, { cause })
  }
}

/** Tries to connect, and returns the code of the error; `undefined` if a process listens there. */
function connectOnce(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
  })
}
