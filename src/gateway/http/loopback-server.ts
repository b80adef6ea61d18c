import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HelperError } from '../../runtime/failure.ts'

/**
 * Starts to listen on 127.0.0.1, and nowhere else; the URL of the server.
 * @param port 0 for any free port.
 * @throws {HelperError} `refused` for a port that cannot be used.
 */
export async function startListening(server: Server, port: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', ({ code }: NodeJS.ErrnoException) =>
    reject(
      new HelperError('refused', `port ${port} cannot be used (${code})`, 'name another with --port, or 0 for any'),
    ),
  )
  server.listen(port, '127.0.0.1', resolve)
  await promise
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Closes a server and every connection to it. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
