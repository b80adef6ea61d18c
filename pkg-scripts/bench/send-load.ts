import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** A request as it goes over the wire, and the size of its answer. */
export interface LoadRequest {
  readonly url: string
  readonly bytes: string
}

/**
 * Sends a request that often over a few connections at once, and gives answers per second. A socket and no more, so that
 * what is measured is the server. Every answer must be a 200 of the same size.
 */
export async function sendLoad({ url, bytes }: LoadRequest, count: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(url)))
  try {
    const size = await exchange(sockets[0]!, bytes)
    const startedAt = performance.now()
    let left = count
    await Promise.all(
      sockets.map(async (socket) => {
        while (left-- > 0) await exchange(socket, bytes, size)
      }),
    )
    return count / ((performance.now() - startedAt) / 1000)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Enough to keep the server busy. */
const connections = 16

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends one request and reads its answer, of which only the length is looked at; gives the length. */
function exchange(socket: Socket, bytes: string, expected?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = 0
    let size = expected
    const settle = (error?: Error) => {
      socket.off('data', take).off('close', close)
      if (error) reject(error)
      else resolve(received)
    }
    const close = () => settle(new Error('the server under load closed the connection'))
    const take = (chunk: Buffer) => {
      if (received === 0 && chunk.toString('latin1', 9, 12) !== '200')
        return settle(new Error(`the server under load answered: ${chunk.toString('utf8')}`))
      if (received === 0) size ??= sizeOf(chunk)
      received += chunk.length
      if (received === size) settle()
      else if (size !== undefined && received > size) settle(new Error('an answer was longer than the one before'))
    }
    socket.on('data', take).on('close', close)
    socket.write(bytes)
  })
}

/** Head and body, by what the head says. */
function sizeOf(chunk: Buffer): number {
  const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4)
  return head.length + Number(/^content-length: (\d+)/im.exec(head)?.[1])
}
