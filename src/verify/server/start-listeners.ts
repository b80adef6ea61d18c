import type { RequestListener, Server } from 'node:http'
import { Server as SocketServer } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { waitAtMost } from '../../runtime/wait-at-most.ts'
import { createBoundedServer } from './bounded-server.ts'
import type { ListenAddress } from './listen-address.ts'
import { listenOn } from './listen-on.ts'
import type { Log, LogEntry } from './log.ts'
import { addTlsChecks, type ListenerTls, toTlsOptions } from './tls-listener.ts'

/** The addresses of a server's listeners, and how long ending may take. */
export interface ListenerSettings {
  readonly listen: ListenAddress
  /** The address of the operator's listener: health, readiness and metrics. If absent, there is no such listener. */
  readonly adminListen?: ListenAddress
  readonly socketMode: number
  /** The numeric group of a Unix socket; the group of the process if absent. */
  readonly socketGroup?: number | undefined
  /** How long open requests may take when the server ends. */
  readonly drainSec: number
  /** The TLS settings of `listen`, not of the operator's listener; if absent, there is no TLS. */
  readonly tls?: ListenerTls
}

/** A server with its operator's listener. */
export interface RunningServer {
  readonly listen: ListenAddress
  readonly adminListen: ListenAddress | undefined
  /** Reports that it is not ready, answers the requests on open connections, closes them, and resolves when all are closed. */
  drain(): Promise<void>
}

/**
 * Starts both listeners.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startListeners({ settings, log, main, createAdmin }: PairParts): Promise<RunningServer> {
  let isDraining = false
  const start = (listener: RequestListener, address: ListenAddress, option: string, tls?: ListenerTls) =>
    startServer(
      withFarewell(listener, () => isDraining),
      { ...settings, address, option, tls },
      log,
    )

  const first = await start(main, settings.listen, '--listen', settings.tls)
  const startAdmin = (address: ListenAddress) =>
    start(
      createAdmin(() => isDraining),
      address,
      '--admin-listen',
    ).catch(async (failure) => {
      await endServer(first.server, 0) // otherwise the listener would keep a failed process alive
      throw failure
    })
  const admin = settings.adminListen && (await startAdmin(settings.adminListen))
  return {
    listen: first.listen,
    adminListen: admin?.listen,
    async drain() {
      isDraining = true
      await endServer(first.server, settings.drainSec)
      if (admin) await endServer(admin.server, 0) // last, so that it reports the state until then
    },
  }
}

interface PairParts {
  readonly settings: ListenerSettings
  readonly log: Log
  /** Answers the requests to `listen`. */
  readonly main: RequestListener
  /** Creates the answers of `adminListen`. `isDraining` returns whether the server is ending. */
  readonly createAdmin: (isDraining: () => boolean) => RequestListener
}

/** Sends `connection: close` with each answer once the server is ending. */
function withFarewell(next: RequestListener, isDraining: () => boolean): RequestListener {
  return (request, response) => {
    if (isDraining()) response.setHeader('connection', 'close')
    next(request, response)
  }
}

async function startServer(
  listener: RequestListener,
  { tls, ...settings }: Parameters<typeof listenOn>[1] & { readonly tls: ListenerTls | undefined },
  log: Log,
): Promise<{ server: Server; listen: ListenAddress }> {
  const server = createBoundedServer(listener, tls && toTlsOptions(tls, 'http/1.1'))
  if (tls && server instanceof TlsServer) addTlsChecks(server, tls, log)
  const listen = await listenOn(server, settings)
  server.on('error', (error) => log.tellBounded(describeListenerError(error)))
  return { server, listen }
}

/** Describes an error of a listening server for the log, such as too many open files; pure. */
export function describeListenerError({ code }: NodeJS.ErrnoException): LogEntry {
  return { level: 'error', event: 'listener', message: `a connection cannot be accepted (${code})` }
}

/**
 * For this time answers announce the end of their connection, so that clients send no further request into a connection that is about to
 * close.
 */
const farewellMs = 500

/**
 * Stops listening, closes unused connections, and resolves when all connections have ended. At the latest `drainSec` after {@link
 * farewellMs}, the others are closed too.
 */
async function endServer(server: Server, drainSec: number): Promise<void> {
  // `close` of an HTTP server would close idle connections at once, and lose the requests on their way.
  const closed = new Promise((resolve) => SocketServer.prototype.close.call(server, resolve))
  await waitAtMost(closed, Math.min(farewellMs, drainSec * 1000))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), drainSec * 1000)
  await closed
  clearTimeout(timer)
}
