import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { posix } from 'node:path'
import { findEffectiveUser } from '../../../runtime/host.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { BusConnection, busName } from './bus-connection.ts'
import type { BusCall } from './bus-message.ts'
import { BusError } from './bus-types.ts'

/**
 * Opens the session bus at the first address that accepts a connection.
 * @param signal Ends the connection.
 * @throws {BusError}
 */
export async function openBus(env: Environment, signal: AbortSignal): Promise<BusConnection> {
  for (const address of parseBusAddresses(env)) {
    refuseAnonymousAddress(address)
    const socket = await connectTo(address.path, signal)
    if (socket) return openConnection(socket, address)
  }
  throw new BusError('absent', 'it does not run')
}

/** Creates the call of a method of the bus itself, such as `Hello`. */
export function toBusCall(member: string, signature: string, values: BusCall['values']): BusCall {
  return { destination: busName, path: '/org/freedesktop/DBus', interface: busName, member, signature, values }
}

/**
 * Refuses an abstract address without a guid. The owner of an abstract socket cannot be read, and once the bus has ended, any user of this
 * machine could listen there.
 * @throws {BusError} `anonymous`
 */
function refuseAnonymousAddress({ path, guid }: BusAddress): void {
  if (path.startsWith('\0') && !guid) throw new BusError('anonymous', 'its address has no guid')
}

/** Connects to a socket; `undefined` if no program accepts the connection. */
async function connectTo(path: string, signal: AbortSignal): Promise<Socket | undefined> {
  if (!path.startsWith('\0')) {
    // A socket without a readable status cannot be opened either, so the next address is tried.
    const status = await stat(path).catch(() => undefined)
    if (!status?.isSocket()) return undefined
    refuseOtherOwner(status)
  }
  const { promise, resolve, reject } = Promise.withResolvers<Socket | undefined>()
  const socket = connect({ path, signal })
  socket.once('connect', () => resolve(socket))
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EACCES' || code === 'EPERM') reject(new BusError('rejected', unadmitted))
    else resolve(undefined)
  })
  return promise
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

/** In bytes: longer than any line in the specification. */
const longestLineBytes = 1024

const unadmitted = 'it does not admit this user'

const otherAnswer = 'it does not answer as a bus does'

/**
 * Authenticates this user to a bus, which gets the user's ID from the system (SASL `EXTERNAL`; D-Bus Specification, "Authentication
 * Protocol").
 * @param guid The ID that the bus has to send, if its address has one.
 * @throws {BusError} `rejected`, `broken` or `closed`.
 */
async function authenticate(socket: Socket, guid: string | undefined): Promise<void> {
  const user = Buffer.from(String(findEffectiveUser() ?? '')).toString('hex')
  // Some systems send the credentials together with this NUL byte.
  socket.write(`\0AUTH EXTERNAL ${user}\r\n`)
  const [word, shown] = (await readLine(socket)).split(' ')
  if (word === 'REJECTED' || word === 'ERROR') throw new BusError('rejected', unadmitted)
  if (word !== 'OK') throw new BusError('broken', otherAnswer)
  if (guid !== undefined && shown !== guid) throw new BusError('rejected', 'it is not the one that the address names')
  socket.write('BEGIN\r\n')
}

/** Reads the answer line. The bus sends nothing more until it gets `BEGIN`. */
function readLine(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  const take = (bytes: Buffer) => {
    text += bytes.toString('latin1')
    if (text.endsWith('\r\n')) resolve(text.trimEnd())
    else if (text.includes('\n') || text.length > longestLineBytes) reject(new BusError('broken', otherAnswer))
  }
  const end = () => reject(new BusError('closed', 'it ended the connection'))
  socket.on('data', take).once('close', end)
  return promise.finally(() => socket.pause().off('data', take).off('close', end))
}

/** Refuses a socket of another user than this one or root, because its owner receives secrets. @throws {BusError} `rejected` */
function refuseOtherOwner({ uid }: Stats): void {
  if (uid !== 0 && uid !== findEffectiveUser()) throw new BusError('rejected', 'it belongs to another user')
}

/** A socket on which a bus may listen. */
interface BusAddress {
  /** In the form of `node:net`: an abstract socket begins with a NUL. */
  readonly path: string
  /** The ID that the bus has to send. Another user's program at an abstract address does not know it. */
  readonly guid?: string | undefined
}

/**
 * Parses the addresses of the session bus, in order (D-Bus Specification, "Server Addresses" and "Login session message bus"). Empty if
 * none is set, or if none is a socket of this machine.
 */
export function parseBusAddresses({ DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }: Environment): BusAddress[] {
  const runtime = XDG_RUNTIME_DIR?.startsWith('/') ? posix.join(XDG_RUNTIME_DIR, 'bus') : undefined
  if (!DBUS_SESSION_BUS_ADDRESS) return runtime ? [{ path: runtime }] : []
  return DBUS_SESSION_BUS_ADDRESS.split(';').flatMap((text) => parseAddress(text, runtime) ?? [])
}

function parseAddress(text: string, runtime: string | undefined): BusAddress | undefined {
  const [, transport = '', list = ''] = /^(\w+):(.*)$/s.exec(text) ?? []
  if (transport !== 'unix') return undefined
  const settings = new Map(list.split(',').map((each) => parseSetting(each)))
  const abstract = settings.get('abstract')
  const path = abstract ? `\0${abstract}` : settings.get('runtime') === 'yes' ? runtime : settings.get('path')
  return path ? { path, guid: settings.get('guid') } : undefined
}

function parseSetting(text: string): [string, string] {
  const [name = '', ...value] = text.split('=')
  return [name, decodeBytes(value.join('='))]
}

/** Decodes `%` with two hexadecimal digits. A text with other sequences stays unchanged. */
function decodeBytes(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
