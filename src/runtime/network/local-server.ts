// Starts and ends servers on this machine.

import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Makes a server listen on a free port of this machine, and gives its address. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${toPort(server)}`
}

/** Returns the port of a server that listens on TCP. */
export function toPort(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port // a Unix socket has a path, and a closed server null
}

/** Closes a server and every connection to it. */
export async function closeServer(server: HttpServer): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}
