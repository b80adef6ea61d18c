// Folder: the verifier as a server: what a gateway asks, what the operator asks, and the log.

import { createServer, type RequestListener, type Server } from 'node:http'
import { Server as SocketServer } from 'node:net'
import { refusalReasons } from '../../contract/refusal-reasons.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Observation, Verifier } from '../verifier/verifier.ts'
import { createAdminListener } from './admin-listener.ts'
import { createIntrospect } from './introspect.ts'
import { isLocalAddress, type ListenAddress } from './listen-address.ts'
import type { Log, LogEntry } from './log.ts'
import type { Metrics, VerifierFacts } from './metrics.ts'
import { startListening } from './start-listening.ts'
import { type AnsweredRequest, createVerifierListener } from './verifier-listener.ts'

/** The settings of the server. */
export interface ServerSettings {
  readonly listen: ListenAddress
  /** The address of the operator's own listener: health, readiness, metrics, introspection. If it is absent, there is no such listener. */
  readonly adminListen?: ListenAddress
  readonly socketMode: number
  /** The number of the group of a Unix socket; the group of the process if absent. */
  readonly socketGroup?: number | undefined
  /** In lower case. */
  readonly tokenHeaders: readonly string[]
  readonly introspectionSecret?: Secret
  /** Whether accepted requests are logged, with who sent them. */
  readonly logAccepted: boolean
  /** How long requests in flight may take when the verifier ends. */
  readonly drainSec: number
}

interface ServerParts {
  readonly verifier: Verifier
  readonly metrics: Metrics
  readonly facts: () => VerifierFacts
  readonly log: Log
  readonly settings: ServerSettings
}

/** A verifier that gateways can ask. */
export interface VerifierServer {
  readonly listen: ListenAddress
  readonly adminListen: ListenAddress | undefined
  /** Reports that it is not ready, answers the requests on open connections, ends these, and resolves when all have ended. */
  drain(): Promise<void>
}

/**
 * Starts to serve.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startVerifierServer({
  verifier,
  metrics,
  facts,
  log,
  settings,
}: ServerParts): Promise<VerifierServer> {
  let isDraining = false
  const onAnswer = (answered: AnsweredRequest) => {
    if (answered.verdict.outcome === 'refused' || settings.logAccepted) log.tellBounded(describeAnswer(answered))
  }
  const observe = (observation: Observation) => metrics.observe(observation)
  const { tokenHeaders, socketMode, socketGroup, introspectionSecret: secret } = settings
  const endConnection =
    (next: RequestListener): RequestListener =>
    (request, response) => {
      if (isDraining) response.setHeader('connection', 'close')
      next(request, response)
    }
  const start = async (listener: RequestListener, address: ListenAddress, option: string) => {
    const server = createBoundedServer(endConnection(listener))
    const listen = await startListening(server, { address, socketMode, socketGroup, option })
    server.on('error', (error: NodeJS.ErrnoException) =>
      log.tellBounded({
        level: 'error',
        event: 'listener',
        message: `a connection cannot be accepted (${error.code})`,
      }),
    )
    return { server, listen }
  }
  const readiness = () => ({ isDraining, missingIssuers: listMissing(facts()) })
  const main = await start(
    createVerifierListener({ verifier, tokenHeaders, observe, onAnswer }),
    settings.listen,
    '--listen',
  )
  const { adminListen: address } = settings
  const local = address && isLocalAddress(address) ? 'everybody' : 'nobody'
  const introspect = createIntrospect({ verifier, access: secret ? { secret } : local, onAnswer })
  const startAdmin = (own: ListenAddress) =>
    start(createAdminListener({ metrics, readiness, introspect }), own, '--admin-listen').catch(async (failure) => {
      await endServer(main.server, 0) // while it listens, a process that has failed would stay alive
      throw failure
    })
  const admin = address && (await startAdmin(address))
  return {
    listen: main.listen,
    adminListen: admin?.listen,
    async drain() {
      isDraining = true
      await endServer(main.server, settings.drainSec)
      if (admin) await endServer(admin.server, 0) // last, so that until then it reports that the verifier is not ready
    },
  }
}

function listMissing({ issuers }: VerifierFacts): string[] {
  return issuers.filter(({ standing }) => standing === 'none').map(({ issuer }) => issuer)
}

/** The log entry about one answer; pure. An entry about an accepted token names its owner, so it is written only on request. */
function describeAnswer({ verdict, requestId, gatewayRequestId }: AnsweredRequest): LogEntry {
  if (verdict.outcome === 'accepted') {
    const { rule, identity } = verdict
    const { issuer, subject } = identity
    return {
      level: 'info',
      event: 'accepted',
      message: 'the token passes',
      facts: { rule, issuer, subject, gateway_request: gatewayRequestId },
    }
  }
  const { reason, detail, note } = verdict.refusal
  const { status, summary } = refusalReasons[reason]
  const level = status === 500 ? 'error' : 'warning'
  const request = { request: requestId, gateway_request: gatewayRequestId }
  return { level, event: 'refused', message: summary, facts: { status, reason, detail, note, ...request } }
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

/** The bounds of a listener; times in milliseconds. */
export const serverBounds = {
  /** The size of all headers of a request together; beyond it the answer is 431. */
  headerBytes: 64 * 1024,
  /** How long a gateway may take to send its headers, and the whole request. */
  headersMs: 10_000,
  requestMs: 15_000,
  /** How long an idle connection is kept: longer than the 60 s of nginx, because the verifier must not be the first to end it. */
  idleMs: 75_000,
  connections: 4_096,
} as const

/** A server that slow, large or malformed requests do not block. */
export function createBoundedServer(listener: RequestListener): Server {
  const server = createServer(
    {
      maxHeaderSize: serverBounds.headerBytes,
      requestTimeout: serverBounds.requestMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: serverBounds.idleMs,
      requireHostHeader: false,
      noDelay: true,
    },
    listener,
  )
  server.headersTimeout = serverBounds.headersMs
  server.maxHeadersCount = 0 // no line is dropped in silence; the number of bytes is bounded
  server.maxConnections = serverBounds.connections
  // There is no interim response to either, because nobody wants the body (RFC 9110, section 10.1.1).
  server.on('checkContinue', listener)
  server.on('checkExpectation', listener)
  return server
}
