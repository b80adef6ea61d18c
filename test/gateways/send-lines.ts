import { once } from 'node:events'
import { connect } from 'node:net'

/** Sends a request as it stands, which no client for HTTP would, and gives all that comes back. */
export async function sendLines(url: string, first: string, lines: readonly string[], body = ''): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setTimeout(500, () => socket.destroy())
  socket.on('error', () => {}) // reset by a gateway that has answered
  socket.setEncoding('utf8').on('data', (piece) => {
    received += piece
  })
  socket.write([first, 'Host: gateway', ...lines, '', body].join('\r\n'))
  await once(socket, 'close')
  return received
}
