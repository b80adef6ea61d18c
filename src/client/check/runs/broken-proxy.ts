import { createServer, type Socket } from 'node:net'
import { listenOnLoopback } from '../../../runtime/network/local-server.ts'
import type { Environment } from '../../../runtime/run-process.ts'

/** How the network is broken: every connection is reset, or is accepted and never answered. */
export type BrokenNetwork = 'dead' | 'hanging'

/** A proxy on loopback that forwards nothing. */
export interface BrokenProxy extends AsyncDisposable {
  /** Proxy variables that send every request to this proxy, including requests to loopback. */
  readonly env: Environment
  /** The number of connections so far. */
  connections(): number
}

/** Starts a broken proxy on a free port; its disposal closes every connection. */
export async function startBrokenProxy(how: BrokenNetwork): Promise<BrokenProxy> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {}) // the other end may reset the connection
    if (how === 'dead') return socket.resetAndDestroy()
    sockets.add(socket.resume())
    return undefined
  })
  return {
    env: createProxyVariables(await listenOnLoopback(server)),
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Sets each variable in upper and lower case, because programs differ in which one they read. */
function createProxyVariables(url: string): Environment {
  const toBothCases = (name: string, value: string | undefined) => [
    [name, value],
    [name.toLowerCase(), value],
  ]
  const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => toBothCases(name, url))
  return Object.fromEntries([...proxies, ...toBothCases('NO_PROXY', undefined)])
}
