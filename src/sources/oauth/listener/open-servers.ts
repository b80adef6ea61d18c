import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HelperError, renderErrorCode } from '../../../runtime/failure.ts'
import { closeServer, toPort } from '../../../runtime/network/local-server.ts'
import type { ListenerOptions } from './callback.ts'

/**
 * Opens the servers on the configured port, or on a port that is free in every address family.
 * @throws {HelperError} `refused` if the port is taken.
 */
export async function openServers({ hosts, port }: ListenerOptions, answer: AnswerRequest): Promise<OpenServers> {
  const addresses = hosts.includes('localhost') ? ['127.0.0.1', '::1'] : ['127.0.0.1']
  for (let attempt = 1; ; attempt += 1) {
    const opened = await openAll(addresses, port ?? 0, answer)
    if ('servers' in opened) return opened
    const isOver = port !== undefined || attempt === maxAttempts || absentCodes.has(opened.code)
    if (isOver) throw describePortFailure(addresses, opened)
  }
}

/** Servers on one port of every address that the hosts stand for. */
interface OpenServers {
  readonly port: number
  close(): Promise<void>
}

/**
 * Answers one request.
 * @param keep Keeps the connection of this request open, even if many others come, because a person waits for the answer.
 */
type AnswerRequest = (request: IncomingMessage, response: ServerResponse, keep: () => void) => unknown

/** The most ports, free in one address family, that are tried in the other. Our decision. */
const maxAttempts = 20

type Opened = (OpenServers & { readonly servers: readonly Server[] }) | { readonly port: number; readonly code: string }

async function openAll(addresses: readonly string[], wanted: number, answer: AnswerRequest): Promise<Opened> {
  const servers: Server[] = []
  const close = async () => {
    await Promise.all(servers.map(closeServer))
  }
  let port = wanted
  for (const address of addresses) {
    const server = createCautiousServer(answer)
    const code = await attemptListening(server, address, port)
    // On a machine with one address family, `localhost` is reached in that family.
    if (code !== undefined && absentCodes.has(code)) continue
    if (code !== undefined) {
      await close()
      return { port, code }
    }
    servers.push(server)
    port = toPort(server)
  }
  return servers.length > 0 ? { servers, port, close } : { port, code: 'EADDRNOTAVAIL' }
}

const absentCodes: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Creates a server that no slow, silent or talkative program of this machine can block. */
function createCautiousServer(answer: AnswerRequest): Server {
  const server = createServer(
    {
      maxHeaderSize: 16_384,
      requestTimeout: longestRequestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 1,
    },
    (request, response) => answer(request, response, () => sockets.delete(request.socket)),
  )
  server.headersTimeout = longestRequestMs // the types of Node 22 have no such option
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    const [oldest] = sockets
    if (sockets.size > maxConnections) oldest?.destroy()
  })
  return server
}

async function attemptListening(server: Server, host: string, port: number): Promise<string | undefined> {
  try {
    server.listen({ host, port, exclusive: true, ipv6Only: true })
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return renderErrorCode(error)
  }
}

/** In milliseconds: how long a client may take to send its request. Our decision. */
const longestRequestMs = 5_000

/** The most connections. Above this number the oldest is closed, so that silent clients cannot keep the browser out. Our decision. */
const maxConnections = 64

/** Describes why the port cannot be opened. A fixed port is registered with the provider. */
function describePortFailure(
  addresses: readonly string[],
  { port, code }: { readonly port: number; readonly code: string },
): HelperError {
  const { problem, hint } = reasons[code] ?? {
    problem: `cannot be opened (${code})`,
    hint: `start again, or ${anotherPort}`,
  }
  const what =
    port === 0
      ? `${addresses.join(' and ')}, to which the browser comes back,`
      : `port ${port} of this machine, to which the browser comes back,`
  return new HelperError('refused', `${what} ${problem}`, hint)
}

const anotherPort =
  'tell your administrator: register another redirect port with the provider, and set it in redirect-port'

/** The reasons by the system's error code. */
const reasons: Readonly<Record<string, { readonly problem: string; readonly hint: string }>> = {
  EADDRINUSE: {
    problem: 'is used by another program',
    hint: `end that program, or wait for another sign-in that uses the port, and start again; or ${anotherPort}`,
  },
  // Windows reserves ranges of ports for virtual machines: `netsh interface ipv4 show excludedportrange tcp`.
  EACCES: { problem: 'is reserved by the system (EACCES)', hint: anotherPort },
  EADDRNOTAVAIL: {
    problem: 'cannot be opened: this machine has no such address',
    hint: 'give this machine its loopback address again; `localhost` as redirect host needs only one of 127.0.0.1 and ::1',
  },
}
