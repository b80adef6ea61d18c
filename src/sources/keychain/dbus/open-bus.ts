import { stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import type { Environment } from '../../../runtime/environment.ts'
import { findEffectiveUser } from '../../../runtime/host.ts'
import { authenticate } from './authenticate.ts'
import { BusConnection, busName } from './bus-connection.ts'
import { BusError } from './bus-error.ts'
import type { BusCall } from './message.ts'
import { type BusAddress, parseBusAddresses } from './parse-address.ts'

/**
 * Opens the bus of this session, the first that listens.
 * @param signal Ends the connection.
 * @throws {BusError}
 */
export async function openBus(env: Environment, signal: AbortSignal): Promise<BusConnection> {
  for (const address of parseBusAddresses(env)) {
    refuseAnybodysAddress(address)
    const socket = await connectTo(address.path, signal)
    if (socket) return openConnection(socket, address)
  }
  throw new BusError('absent', 'it does not run')
}

async function openConnection(socket: Socket, { guid }: BusAddress): Promise<BusConnection> {
  try {
    await authenticate(socket, guid)
  } catch (error) {
    socket.destroy()
    throw error
  }
  const bus = new BusConnection(socket)
  await bus.call(toBusCall('Hello', '', []))
  return bus
}

/** A call of the bus itself. */
export function toBusCall(member: string, signature: string, values: BusCall['values']): BusCall {
  return { destination: busName, path: '/org/freedesktop/DBus', interface: busName, member, signature, values }
}

/** `undefined` where nobody listens. */
async function connectTo(path: string, signal: AbortSignal): Promise<Socket | undefined> {
  if (!path.startsWith('\0') && !(await isOwnSocket(path))) return undefined
  const { promise, resolve, reject } = Promise.withResolvers<Socket | undefined>()
  const socket = connect({ path, signal })
  socket.once('connect', () => resolve(socket))
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES' || code === 'EPERM') reject(new BusError('rejected', 'it does not admit this user'))
    else resolve(undefined)
  })
  return promise
}

/**
 * An abstract socket has no owner that could be looked at: any user of this machine listens there once the bus has ended.
 * @throws {BusError} `anonymous` where no guid tells them apart.
 */
function refuseAnybodysAddress({ path, guid }: BusAddress): void {
  if (path.startsWith('\0') && !guid) throw new BusError('anonymous', 'its address has no guid')
}

/** Whoever listens there is given secrets. @throws {BusError} `rejected` for a socket of another user. */
async function isOwnSocket(path: string): Promise<boolean> {
  const status = await stat(path).catch(() => undefined)
  if (!status?.isSocket()) return false
  if (status.uid === 0 || status.uid === findEffectiveUser()) return true
  throw new BusError('rejected', 'it belongs to another user')
}
