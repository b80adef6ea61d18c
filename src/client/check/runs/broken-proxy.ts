import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Environment } from '../../../runtime/environment.ts'

/** How a network is broken: nobody is there, or somebody who accepts and says nothing. */
export type BrokenNetwork = 'dead' | 'hanging'

/** A proxy on loopback that leads nowhere. */
export interface BrokenProxy extends AsyncDisposable {
  /** Sends every client that honours proxy variables here, loopback included. */
  readonly env: Environment
  /** How often somebody came. */
  connections(): number
}

export async function startBrokenProxy(how: BrokenNetwork): Promise<BrokenProxy> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {}) // the other end may go as it likes
    if (how === 'dead') return socket.resetAndDestroy()
    sockets.add(socket.resume())
    return undefined
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // a TCP server, which listens
  return {
    env: proxyVariables(`http://127.0.0.1:${port}`),
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** In both cases: programs differ in which they read. */
function proxyVariables(url: string): Environment {
  const both = (name: string, value: string | undefined) => [
    [name, value],
    [name.toLowerCase(), value],
  ]
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => both(name, url))
  return Object.fromEntries([...proxies, ...both('NO_PROXY', undefined)])
}
