import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { ListenerOptions } from './callback-listener.ts'
import { describePortFailure } from './describe-port-failure.ts'

/** Servers on one port of every address that the hosts stand for. */
export interface OpenServers {
  readonly port: number
  close(): Promise<void>
}

/** How often a port that is free in one address family is tried in the other. */
const mostAttempts = 20

/**
 * Opens them on the port that is asked for, or on one that is free in every address family.
 * @throws {HelperError} `refused` where the port is taken.
 */
export async function openServers({ hosts, port }: ListenerOptions, answer: RequestListener): Promise<OpenServers> {
  const addresses = hosts.includes('localhost') ? ['127.0.0.1', '::1'] : ['127.0.0.1']
  for (let attempt = 1; ; attempt += 1) {
    const opened = await openAll(addresses, port ?? 0, answer)
    if ('servers' in opened) return opened
    const isOver = port !== undefined || attempt === mostAttempts || absentCodes.has(opened.code)
    if (isOver) throw describePortFailure(addresses, opened)
  }
}

type Opened = (OpenServers & { readonly servers: readonly Server[] }) | { readonly port: number; readonly code: string }

async function openAll(addresses: readonly string[], wanted: number, answer: RequestListener): Promise<Opened> {
  const servers: Server[] = []
  const close = async () => {
    await Promise.all(servers.map(closeServer))
  }
  let port = wanted
  for (const address of addresses) {
    const server = createCautiousServer(answer)
    const code = await listen(server, address, port)
    // A machine that has one address family only reaches `localhost` in that one.
    if (code !== undefined && absentCodes.has(code)) continue
    if (code !== undefined) {
      await close()
      return { port, code }
    }
    servers.push(server)
    port = (server.address() as AddressInfo).port // of a server that listens on TCP
  }
  return servers.length > 0 ? { servers, port, close } : { port, code: 'EADDRNOTAVAIL' }
}

const absentCodes: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

async function listen(server: Server, host: string, port: number): Promise<string | undefined> {
  try {
    server.listen({ host, port, exclusive: true, ipv6Only: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown error'
  }
}

/** In milliseconds, how long a client may take to send its request. */
const longestRequestMs = 5_000

/** Those that say nothing hold a connection each; beyond this the oldest is ended, so that the browser always finds room. */
const mostConnections = 64

/** A server that no slow, silent or talkative program of this machine can block. */
function createCautiousServer(answer: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: 16_384,
      requestTimeout: longestRequestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 1,
    },
    answer,
  )
  server.headersTimeout = longestRequestMs // no option in the types of Node 22
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const [oldest] = sockets
    if (sockets.size > mostConnections) oldest?.destroy()
  })
  return server
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
