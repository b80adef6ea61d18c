import type { IncomingMessage } from 'node:http'

/** What is read of a body and thrown away, so that its connection can be used again. */
const mostBytes = 1024 * 1024

/** Uses no body: it is thrown away, and its connection ended where it is long. */
export function dropBody(request: IncomingMessage): void {
  if (!hasBody(request.rawHeaders)) return
  let left = mostBytes
  request.on('data', ({ length: bytes }: Buffer) => {
    left -= bytes
    if (left < 0) request.socket.destroy()
  })
  request.on('error', () => {}) // the gateway is gone
}

/** RFC 9112, section 6.3. From the raw lines, because Node would first make an object of all of them. */
function hasBody(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, at) => at % 2 === 0 && /^(content-length|transfer-encoding)$/i.test(name))
}
