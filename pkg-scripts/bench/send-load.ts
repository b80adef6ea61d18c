import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/**
 * Sends a request `count` times over several connections, and returns answers per second. It uses bare sockets, so that the measurement is
 * of the server, not of a client. Every answer must be a 200 of the same size.
 */
export async function sendLoad({ url, bytes }: LoadRequest, count: number): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(url)))
  const render = typeof bytes === 'string' ? () => bytes : bytes
  try {
    const size = await exchange(sockets[0]!, render())
    const startedAt = performance.now()
    let left = count
    await Promise.all(
      sockets.map(async (socket) => {
        while (left-- > 0) await exchange(socket, render(), size)
      }),
    )
    return count / ((performance.now() - startedAt) / 1000)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** A request, repeated for load. */
interface LoadRequest {
  readonly url: string
  /** The whole request in the form of the wire, or a function that creates each one. */
  readonly bytes: string | (() => string)
}

/** Enough to keep the server busy. */
const connections = 16

async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends one request and reads its answer. Returns the length of the answer. */
function exchange(socket: Socket, bytes: string, expected?: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = 0
    let size = expected
    const finish = (error?: Error) => {
      socket.off('data', take).off('close', close)
      if (error) reject(error)
      else resolve(received)
    }
    const close = () => finish(new Error('the server under load closed the connection'))
    const take = (chunk: Buffer) => {
      if (received === 0 && chunk.toString('latin1', 9, 12) !== '200')
        return finish(new Error(`the server under load answered: ${chunk.toString('utf8')}`))
      if (received === 0) size ??= parseSize(chunk)
      received += chunk.length
      if (received === size) finish()
      else if (size !== undefined && received > size) finish(new Error('an answer was longer than the one before'))
    }
    socket.on('data', take).on('close', close)
    socket.write(bytes)
  })
}

/** Parses the length of an answer, head and body, from its `content-length`. */
function parseSize(chunk: Buffer): number {
  const head = chunk.toString('latin1', 0, chunk.indexOf('\r\n\r\n') + 4)
  return head.length + Number(/^content-length: (\d+)/im.exec(head)?.[1])
}
