import type { Socket } from 'node:net'
import { findEffectiveUser } from '../../../runtime/host.ts'
import { BusError } from './bus-error.ts'

/** In bytes: longer than any line of the specification. */
const longestLine = 1024

/**
 * Proves to a bus who this user is, which the system tells it (SASL `EXTERNAL`).
 * @param guid What the bus has to show, where its address says it.
 * @throws {BusError} `rejected`, `broken` or `closed`.
 */
export async function authenticate(socket: Socket, guid: string | undefined): Promise<void> {
  const user = Buffer.from(String(findEffectiveUser() ?? '')).toString('hex')
  // The NUL goes with the credentials on systems that send them so.
  socket.write(`\0AUTH EXTERNAL ${user}\r\n`)
  const [word, shown] = (await readLine(socket)).split(' ')
  if (word === 'REJECTED' || word === 'ERROR') throw new BusError('rejected', 'it does not admit this user')
  if (word !== 'OK') throw new BusError('broken', 'it does not answer as a bus does')
  if (guid !== undefined && shown !== guid) throw new BusError('rejected', 'it is not the one that the address names')
  socket.write('BEGIN\r\n')
}

/** A bus sends nothing behind this line before it is told to begin. */
function readLine(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let text = ''
  const take = (bytes: Buffer) => {
    text += bytes.toString('latin1')
    if (text.endsWith('\r\n')) resolve(text.trimEnd())
    else if (text.includes('\n') || text.length > longestLine)
      reject(new BusError('broken', 'it does not answer as a bus does'))
  }
  const end = () => reject(new BusError('closed', 'it ended the connection'))
  socket.on('data', take).once('close', end)
  return promise.finally(() => socket.pause().off('data', take).off('close', end))
}
