import { type Socket, Server as SocketServer } from 'node:net'
import { createServer as createTlsServer, Server as TlsServer } from 'node:tls'
import {
  logVerbosity,
  ResponderBuilder,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
  ServerListenerBuilder,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  setLogVerbosity,
  status,
} from '@grpc/grpc-js'
import { createRequestId } from '../../runtime/network/server-request.ts'
import { type Acceptance, toRefusedVerdict, type Verdict } from '../verdict.ts'
import { ConnectionRoom, serverBounds, toPeer } from './bounded-server.ts'
import {
  listMisspelled,
  parseCheckRequest,
  parseMessage,
  renderAcceptance,
  renderMessage,
  renderRefusal,
} from './check-messages.ts'
import { type HealthCheckRequest, servingStatus } from './envoy-messages.ts'
import type { ListenAddress } from './listen-address.ts'
import { listenOn } from './listen-on.ts'
import type { Log } from './log.ts'
import { describeListenerError } from './start-listeners.ts'
import { addTlsChecks, type ListenerTls, toTlsOptions } from './tls-listener.ts'
import type { GatewayQuestion, RequestSource } from './to-request-facts.ts'
import { type ChooseAnswers, findGatewayRequestId, type GatewayAnswers } from './verifier-listener.ts'

/**
 * Starts a server of `envoy.service.auth.v3.Authorization/Check` and `grpc.health.v1.Health/Check`.
 * @throws {HelperError} `refused` for an address that cannot be used.
 */
export async function startGrpcServer({ isReady, settings, log, tls, ...parts }: GrpcParts): Promise<GrpcServer> {
  setLogVerbosity(logVerbosity.NONE) // the library's own lines do not have the form of our log
  const calls = new OpenCalls()
  const server = createServer(calls)
  server.addService(authorization, { check: createCheck(parts) })
  server.addService(health, { check: createHealthCheck(isReady) })
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure())
  const listener = tls
    ? createTlsServer(toTlsOptions(tls, 'h2'), (socket) => {
        if (!socket.destroyed) injector.injectConnection(socket)
      })
    : new SocketServer({ noDelay: true }, (socket) => injector.injectConnection(socket))
  if (tls && listener instanceof TlsServer) addTlsChecks(listener, tls, log)
  listener.prependListener('connection', (socket: Socket) => calls.enter(socket))
  const listen = await listenOn(listener, { ...settings, option: '--grpc-listen' })
  listener.on('error', (error) => log.tellBounded(describeListenerError(error)))
  return {
    listen,
    async drain(drainSec) {
      const closed = new Promise((resolve) => listener.close(resolve))
      injector.drain(drainSec * 1000)
      const timer = setTimeout(() => calls.endAll(), drainSec * 1000)
      await closed
      clearTimeout(timer)
      server.forceShutdown()
    },
  }
}

/** The limits of the listener, besides {@link serverBounds}. */
const grpcBounds = {
  /** A few connections are enough, because a gateway sends thousands of requests over one. */
  connections: 512,
  /** The concurrent requests of one connection. Envoy opens another connection for more. */
  streams: 256,
  /** The size of one message in bytes: all headers of a request, and a body if the gateway sends one, which is not needed. */
  messageBytes: 256 * 1024,
  /** The incomplete requests of all connections. Beyond this, the oldest are refused unless they have just begun. */
  partial: 1_024,
  partialMs: 500,
  /** The memory that Node keeps for a connection, in MiB. */
  connectionMiB: 4,
  /** After this time a connection is closed gracefully, so that a connection whose answers nobody reads is not kept forever. */
  ageMs: 3_600_000,
  ageGraceMs: 60_000,
} as const

interface GrpcParts {
  readonly choose: ChooseAnswers
  readonly requestSource: RequestSource
  /** The headers that may contain the token, in lower case. */
  readonly tokenHeaders: readonly string[]
  readonly isReady: () => boolean
  readonly settings: Omit<Parameters<typeof listenOn>[1], 'option'>
  readonly log: Log
  readonly tls?: ListenerTls | undefined
}

interface GrpcServer {
  readonly listen: ListenAddress
  /** Answers the requests of open connections for at most this time, and closes the connections. */
  drain(drainSec: number): Promise<void>
}

function createServer(calls: OpenCalls): Server {
  return new Server({
    'grpc.max_concurrent_streams': grpcBounds.streams,
    'grpc.max_receive_message_length': grpcBounds.messageBytes,
    'grpc-node.max_session_memory': grpcBounds.connectionMiB,
    'grpc.max_connection_idle_ms': serverBounds.idleMs,
    'grpc.max_connection_age_ms': grpcBounds.ageMs,
    'grpc.max_connection_age_grace_ms': grpcBounds.ageGraceMs,
    'grpc.enable_channelz': 0,
    interceptors: [createBound(calls)],
  })
}

/** Limits how long a request takes to arrive, and counts the requests of each connection. */
function createBound(calls: OpenCalls): ServerInterceptor {
  const partial = new Map<ServerInterceptingCall, number>() // start times, oldest first
  const endOldest = () => {
    for (const [oldest, since] of partial) {
      if (partial.size <= grpcBounds.partial || performance.now() - since < grpcBounds.partialMs) return
      oldest.sendStatus({ code: status.RESOURCE_EXHAUSTED, details: 'too many requests arrive slowly' })
    }
  }
  return (_method, call) => {
    const end = calls.start(call.getPeer())
    const stopWaiting = () => {
      clearTimeout(timer)
      partial.delete(intercepted)
    }
    const timer = setTimeout(() => {
      intercepted.sendStatus({ code: status.DEADLINE_EXCEEDED, details: 'the request has not arrived in time' })
    }, serverBounds.requestMs)
    timer.unref()
    const listener = new ServerListenerBuilder()
      .withOnReceiveHalfClose((next) => {
        stopWaiting()
        next()
      })
      .withOnCancel(() => {
        stopWaiting()
        end()
      })
      .build()
    const responder = new ResponderBuilder()
      .withStart((next) => next(listener))
      .withSendStatus((answer, next) => {
        stopWaiting()
        end()
        next(answer)
      })
      .build()
    const intercepted = new ServerInterceptingCall(call, responder)
    partial.set(intercepted, performance.now())
    endOldest()
    return intercepted
  }
}

/** The open connections, with the number of calls that each has. */
class OpenCalls {
  readonly #room = new ConnectionRoom(grpcBounds.connections)
  readonly #open = new Set<Socket>()
  /** The key is the library's name of the other end. */
  readonly #byPeer = new Map<string, { readonly socket: Socket; calls: number }>()

  enter(socket: Socket): void {
    this.#open.add(socket)
    this.#room.enter(socket)
    socket.on('error', () => {}) // the gateway has closed the connection
    socket.once('close', () => this.#open.delete(socket))
    const peer = toPeer(socket)
    if (peer === undefined) {
      this.#room.begin(socket) // connections of a Unix socket have no names, so none is closed in favour of another
      return
    }
    this.#byPeer.set(peer, { socket, calls: 0 })
    socket.once('close', () => this.#byPeer.delete(peer))
  }

  /** @returns A function to call when the request has ended; further calls have no effect. */
  start(peer: string): () => void {
    const connection = this.#byPeer.get(peer)
    if (!connection) return () => {}
    connection.calls += 1
    this.#room.begin(connection.socket)
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      connection.calls -= 1
      if (connection.calls === 0) this.#room.rest(connection.socket)
    }
  }

  endAll(): void {
    for (const socket of this.#open) socket.destroy()
  }
}

/** Passes bytes through, because each answer is rendered once for each verdict in the cache. */
const bytes = { serialize: (message: Buffer) => message, deserialize: (message: Buffer) => message }

const authorization = defineUnary('/envoy.service.auth.v3.Authorization/Check', parseCheckRequest)
const health = defineUnary('/grpc.health.v1.Health/Check', (message) =>
  parseMessage('grpc.health.v1.HealthCheckRequest', message),
)

function defineUnary<Request>(path: string, parse: (message: Buffer) => Request) {
  return {
    check: {
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: () => Buffer.alloc(0), // only a client needs it
      requestDeserialize: parse,
      responseSerialize: bytes.serialize,
      responseDeserialize: bytes.deserialize,
    },
  } satisfies ServiceDefinition
}

type UnaryCall<Request> = (call: ServerUnaryCall<Request, Buffer>, callback: sendUnaryData<Buffer>) => void

type CheckParts = Pick<GrpcParts, 'choose' | 'requestSource' | 'tokenHeaders'>

function createCheck({
  choose,
  requestSource,
  tokenHeaders,
}: CheckParts): UnaryCall<ReturnType<typeof parseCheckRequest>> {
  // Envoy states the facts outside the headers, so that the caller cannot set them.
  const source = { ...requestSource, from: 'request-line' } as const
  const answers = new WeakMap<Acceptance, Buffer>() // an answer for each verdict in the cache
  const toAccepted = (lines: readonly string[], verdict: Acceptance): Buffer => {
    const misspelled = listMisspelled(lines, verdict)
    if (misspelled.length > 0) return renderAcceptance(verdict, tokenHeaders, misspelled)
    const rendered = answers.get(verdict) ?? renderAcceptance(verdict, tokenHeaders)
    answers.set(verdict, rendered)
    return rendered
  }
  const answerQuestion = (
    { onAnswer, policy }: GatewayAnswers,
    question: GatewayQuestion,
    verdict: Verdict,
  ): Buffer => {
    const { rawHeaders: lines } = question
    const gatewayRequestId = findGatewayRequestId(lines)
    if (verdict.outcome === 'accepted') {
      const rendered = toAccepted(lines, verdict)
      onAnswer({ verdict, gatewayRequestId, question, source })
      return rendered
    }
    const requestId = createRequestId()
    onAnswer({ verdict, requestId, gatewayRequestId, question, source })
    return renderRefusal(verdict.refusal, requestId, policy?.().resource)
  }
  return ({ request }, callback) => {
    const parts = choose(request, source)
    const answer = (verdict: Verdict) => {
      try {
        callback(null, answerQuestion(parts, request, verdict))
      } catch (cause) {
        callback(null, answerQuestion(parts, request, toRefusedVerdict(cause)))
      }
    }
    const found = parts.decideRequest(request, source)
    if (found instanceof Promise) found.then(answer)
    else answer(found)
  }
}

/** The services whose health is reported: the server as a whole, and the one that Envoy uses. */
const services = ['', 'envoy.service.auth.v3.Authorization']

function createHealthCheck(isReady: () => boolean): UnaryCall<HealthCheckRequest> {
  return ({ request: { service = '' } }, callback) => {
    if (!services.includes(service)) return callback({ code: status.NOT_FOUND, details: 'there is no such service' })
    const { SERVING, NOT_SERVING } = servingStatus
    const message = { status: isReady() ? SERVING : NOT_SERVING }
    callback(null, renderMessage('grpc.health.v1.HealthCheckResponse', message))
  }
}
