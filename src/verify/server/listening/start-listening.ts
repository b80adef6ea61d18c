import { chmod, lstat, unlink } from 'node:fs/promises'
import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { HelperError } from '../../../runtime/failure.ts'
import { type ListenAddress, renderListenAddress } from './listen-address.ts'

interface ListenSettings {
  readonly address: ListenAddress
  /** Who may connect to a Unix socket, such as `0o660`. */
  readonly socketMode: number
  /** By which option the address was given, for the hint. */
  readonly option: string
}

/**
 * How many connections wait until they are accepted, which the system may lower: a gateway without connections of its own to
 * keep opens one for each request, and those beyond Node's 511 are lost without a word.
 */
const backlog = 4_096

/**
 * Starts to listen; the address, with the port that was free.
 * @throws {HelperError} `refused` for an address that cannot be used, such as one at which another program listens.
 */
export async function startListening(
  server: Server,
  { address, socketMode, option }: ListenSettings,
): Promise<ListenAddress> {
  if (address.kind === 'socket') await removeStaleSocket(address.path, option)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', (cause: NodeJS.ErrnoException) => reject(toFailure(address, option, cause)))
  const place = address.kind === 'socket' ? { path: address.path } : { host: address.host, port: address.port }
  server.listen({ ...place, backlog }, resolve)
  await promise
  if (address.kind === 'tcp') return { ...address, port: (server.address() as AddressInfo).port } // a TCP server, which listens
  await chmod(address.path, socketMode)
  return address
}

function toFailure(address: ListenAddress, option: string, { code = '', cause }: NodeJS.ErrnoException): HelperError {
  const where = renderListenAddress(address)
  const advice = advices[address.kind][code] ?? `name an address of this machine that this user may use with ${option}`
  return new HelperError('refused', `${where} cannot be used (${code})`, advice.replace('OPTION', option), { cause })
}

const missingDirectory =
  'create the directory of the socket, where this user may write, or name another path with OPTION'

/** What to do, by what the system said. */
const advices: Readonly<Record<ListenAddress['kind'], Readonly<Record<string, string>>>> = {
  tcp: {
    EADDRINUSE: 'end what listens there, or name another address with OPTION',
    EACCES: 'name a port from 1024 on with OPTION, or give this user the right to lower ones',
    ENOTFOUND: 'correct the name of the host with OPTION, or write its address',
  },
  socket: {
    EADDRINUSE: 'end what listens there, or name another address with OPTION',
    // On Linux also where the directory is missing (seen).
    EACCES: missingDirectory,
    ENOENT: missingDirectory,
    EINVAL: 'name a shorter path with OPTION: the system takes about 100 bytes',
  },
}

/** Removes the socket of a verifier that has died. One that somebody listens at stays, and so does whatever is no socket. */
async function removeStaleSocket(path: string, option: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats) return
  if (!stats.isSocket())
    throw new HelperError('refused', `${path} is there and is no socket`, `name another path with ${option}`)
  if ((await connectOnce(path)) === 'ECONNREFUSED') await unlink(path)
}

/** The code with which connecting fails; `undefined` where somebody listens. */
function connectOnce(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
  })
}
