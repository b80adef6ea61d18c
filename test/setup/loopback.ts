import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Has a server listen at a free port of this machine, and returns the port. */
export async function listenOnLoopback(server: Server | HttpServer): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as AddressInfo).port // a TCP server, which listens
}

/** Ends a server for HTTP, and every connection to it. */
export async function closeServer(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
}
