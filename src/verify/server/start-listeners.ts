import type { RequestListener, Server } from 'node:http'
import { Server as SocketServer } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import { createBoundedServer } from './bounded-server.ts'
import type { ListenAddress } from './listen-address.ts'
import type { Log, LogEntry } from './log.ts'
import { startListening } from './start-listening.ts'
import { addTlsChecks, type ListenerTls, toTlsOptions } from './tls-listener.ts'

/** The addresses at which a server listens, and how it ends. */
export interface ListenerSettings {
  readonly listen: ListenAddress
  /** The address of the operator's own listener: health, readiness and metrics. If it is absent, there is no such listener. */
  readonly adminListen?: ListenAddress
  readonly socketMode: number
  /** The number of the group of a Unix socket; the group of the process if absent. */
  readonly socketGroup?: number | undefined
  /** How long requests in flight may take when the server ends. */
  readonly drainSec: number
  /** TLS of `listen`, and not of the operator's own listener; none if absent. */
  readonly tls?: ListenerTls
}

/** A server and the listener of its operator. */
export interface RunningServer {
  readonly listen: ListenAddress
  readonly adminListen: ListenAddress | undefined
  /** Reports that it is not ready, answers the requests on open connections, ends these, and resolves when all have ended. */
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
  const startAdmin = (own: ListenAddress) =>
    start(
      createAdmin(() => isDraining),
      own,
      '--admin-listen',
    ).catch(async (failure) => {
      await endServer(first.server, 0) // while it listens, a process that has failed would stay alive
      throw failure
    })
  const admin = settings.adminListen && (await startAdmin(settings.adminListen))
  return {
    listen: first.listen,
    adminListen: admin?.listen,
    async drain() {
      isDraining = true
      await endServer(first.server, settings.drainSec)
      if (admin) await endServer(admin.server, 0) // last, so that until then it reports that the server is not ready
    },
  }
}

interface PairParts {
  readonly settings: ListenerSettings
  readonly log: Log
  /** Answers the requests that reach `listen`. */
  readonly main: RequestListener
  /** Creates what answers at `adminListen`; `isDraining` says whether the server is ending. */
  readonly createAdmin: (isDraining: () => boolean) => RequestListener
}

/** Announces with each answer that the connection ends, once the server is ending. */
function withFarewell(next: RequestListener, isDraining: () => boolean): RequestListener {
  return (request, response) => {
    if (isDraining()) response.setHeader('connection', 'close')
    next(request, response)
  }
}

async function startServer(
  listener: RequestListener,
  { tls, ...settings }: Parameters<typeof startListening>[1] & { readonly tls: ListenerTls | undefined },
  log: Log,
): Promise<{ server: Server; listen: ListenAddress }> {
  const server = createBoundedServer(listener, tls && toTlsOptions(tls, 'http/1.1'))
  if (tls && server instanceof TlsServer) addTlsChecks(server, tls, log)
  const listen = await startListening(server, settings)
  server.on('error', (error) => log.tellBounded(describeListenerError(error)))
  return { server, listen }
}

/** The entry about an error of a server that listens, such as too many open files; pure. */
export function describeListenerError({ code }: NodeJS.ErrnoException): LogEntry {
  return { level: 'error', event: 'listener', message: `a connection cannot be accepted (${code})` }
}

/**
 * For this time, answers announce the end of their connection, so that no request is on its way into a connection that has just
 * been closed.
 */
const farewellMs = 500

/**
 * Stops listening, ends unused connections, and resolves when all connections have ended. `drainSec` after the farewell, the rest
 * is ended whatever it waits for.
 */
async function endServer(server: Server, drainSec: number): Promise<void> {
  // `close` of an HTTP server would end idle connections at once, and lose the requests that are on their way into them.
  const closed = new Promise((resolve) => SocketServer.prototype.close.call(server, resolve))
  const farewell = new Promise((over) => setTimeout(over, Math.min(farewellMs, drainSec * 1000)))
  await Promise.race([closed, farewell])
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), drainSec * 1000)
  await closed
  clearTimeout(timer)
}
