// Folder: the local stand-in for the platform, put together and started, and gateways for simulations.

import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { FetchImplementation } from 'jose'
import { apiPaths, createErrorBody, errorTypes } from '../contract/http-api.ts'
import { nestedSchemaVersion } from '../contract/served-document.ts'
import { answerExchange, largestExchange } from './credentials/token-exchange.ts'
import { createKeyFinder } from './credentials/verify-assertion.ts'
import { createFaults, type Fault } from './http/faults.ts'
import { createHttpServer, startListening } from './http/http-server.ts'
import { type PlatformRecord, recordRequests } from './http/record-requests.ts'
import {
  answerBrowsers,
  areaRules,
  defectMessage,
  noRouteMessage,
  type PlatformEnv,
  Refusal,
  refuseRepeatedHeaders,
} from './http/requests.ts'
import { administrationOperations } from './operations/administration-operations.ts'
import { createAuthentication } from './operations/authenticate-call.ts'
import { messageOperations } from './operations/message-operations.ts'
import { sessionOperations } from './operations/session-operations.ts'
import type { State } from './store/state.ts'

/** Starts the stand-in for the platform, on loopback only. @throws {HelperError} for a port that cannot be used. */
export async function startPlatform(settings: PlatformSettings): Promise<Platform> {
  const { state, port = 0, faults = [], allowedBetas = [], fetch = globalThis.fetch, onRecord = () => {} } = settings
  const served = () => ({ document: settings.document ?? createDefaultDocument(url), lifeSec: documentLifeSec })
  const app = createPlatformApp({ state, faults, allowedBetas, served, fetch, onRecord })
  const server = createHttpServer(app.fetch, () => state.createId('request'))
  const { url, close } = await startListening(server, port)
  return { url, close }
}

/** The settings of the stand-in for the platform. */
interface PlatformSettings {
  /** The state, which stays open when the platform is closed. */
  readonly state: State
  /** If 0, the default, the system chooses a free port. */
  readonly port?: number
  readonly faults?: readonly Fault[]
  /** The accepted beta features besides those of the specification. */
  readonly allowedBetas?: readonly string[]
  /** The served document; if absent, one that names this gateway. */
  readonly document?: ServedDocument['document']
  /** Fetches the keys of issuers; if absent, the runtime's `fetch`, which is sufficient for loopback. */
  readonly fetch?: PlatformParts['fetch']
  readonly onRecord?: PlatformParts['onRecord']
}

interface Platform {
  readonly url: string
  close(): Promise<void>
}

/** How long a client keeps the served document. Our decision. */
const documentLifeSec = 3600

/** The parts of the application of the platform. */
interface PlatformParts {
  readonly state: State
  readonly faults: readonly Fault[]
  readonly allowedBetas: readonly string[]
  readonly served: () => ServedDocument
  /** Fetches the keys of issuers that are not given inline. */
  readonly fetch: FetchImplementation
  readonly onRecord: (record: PlatformRecord) => void
}

/** Creates the document that is served by default: it names this gateway, without a credential. */
function createDefaultDocument(url: string): ServedDocument['document'] {
  return { $schemaVersion: nestedSchemaVersion, inference: { provider: 'gateway', baseUrl: url } }
}

/** Creates the platform's HTTP API as an application without a server. */
function createPlatformApp(parts: PlatformParts): Hono<PlatformEnv> {
  const { state, faults, served, fetch, onRecord } = parts
  const app = new Hono<PlatformEnv>()
  const authenticateCall = createAuthentication(parts)
  const selectKeys = createKeyFinder(fetch)
  app.use(recordRequests(state, onRecord), answerBrowsers, refuseRepeatedHeaders, createFaultInjection(faults))
  for (const operation of operations) {
    const { method, path, area, answer } = operation
    app.on(method, path, authenticateCall(operation), createBodyLimit(areaRules[area].largestBody), (c) =>
      answer(c.get('call')),
    )
  }
  app.post(apiPaths.tokenExchange, createBodyLimit(largestExchange), (c) => answerExchange(c, { state, selectKeys }))
  app.get('/configuration', (c) => c.json(withExpiry(served(), state.now())))
  refuseOtherMethods(app)
  app.notFound(() => {
    throw new Refusal(404, noRouteMessage)
  })
  app.onError(answerRefusal)
  return app
}

/** Makes requests fail on demand, before their credential is checked. */
function createFaultInjection(faults: readonly Fault[]): MiddlewareHandler<PlatformEnv> {
  const take = createFaults(faults)
  return async (c, next) => {
    const fault = take(c.req.method, c.req.path)
    c.set('fault', fault)
    const effect = fault?.effect
    switch (effect?.kind) {
      case 'status': {
        const headers = effect.retryAfterSec === undefined ? {} : { 'retry-after': String(effect.retryAfterSec) }
        throw new Refusal(effect.status, 'this is a fault on demand', { headers, reason: 'fault' })
      }
      case 'reset':
        c.set('reason', 'fault')
        c.env.incoming.socket.resetAndDestroy()
        return RESPONSE_ALREADY_SENT
      case 'slow':
        await sleep(effect.ms)
    }
    return next()
  }
}

/** Answers 413 to a body of more than `largest` bytes. */
function createBodyLimit(largest: number): MiddlewareHandler<PlatformEnv> {
  const refuse = (): never => {
    // Without `connection: close`: Node would end the connection at once, and a client that still sends would see a reset, not this answer.
    // The adapter reads on for a moment and drops what it reads.
    throw new Refusal(413, `the body is larger than ${largest} bytes`)
  }
  const countBody = bodyLimit({ maxSize: largest, onError: refuse })
  return (c, next) => {
    const length = c.req.header('content-length')
    // A request with neither of these headers has no body (RFC 9112, section 6.3).
    if (length === undefined && c.req.header('transfer-encoding') === undefined) return next()
    // HTTP ends a body at its stated length, so only a body without one is counted, which costs a copy.
    if (length === undefined) return countBody(c, next)
    return Number(length) > largest ? refuse() : next()
  }
}

/** Every operation that requires a credential. */
const operations = [...sessionOperations, ...messageOperations, ...administrationOperations]

/** Adds the current `expiresAt` to a document, in epoch seconds. */
function withExpiry({ document, lifeSec }: ServedDocument, now: number) {
  return { ...document, expiresAt: Math.floor(now / 1000) + lifeSec }
}

/** Answers 405 to other methods on known paths. It must be called after every route is registered. */
function refuseOtherMethods(app: Hono<PlatformEnv>): void {
  const routes = app.routes.filter(({ method }) => method !== 'ALL')
  for (const [path, found = []] of Object.entries(Object.groupBy(routes, (route) => route.path))) {
    const allowed = [...new Set(found.map(({ method }) => method))]
    app.all(path, () => {
      throw new Refusal(405, `this path answers ${allowed.join(' and ')} only`, {
        headers: { allow: allowed.join(', ') },
      })
    })
  }
}

/** The configuration document to serve, and how long a client keeps it, in seconds. */
interface ServedDocument {
  readonly document: Readonly<Record<string, unknown>>
  readonly lifeSec: number
}

/** Answers with the error envelope for anything thrown. The name of an unexpected error is written to the record only. */
function answerRefusal(thrown: Error, c: Context<PlatformEnv>): Response {
  const { status, message, headers, reason } = toRefusal(thrown, c.env.incoming)
  c.set('reason', reason)
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return c.body(JSON.stringify(createErrorBody(errorTypes[status], message, c.get('requestId'))), {
    status: status as 400, // Hono's list of statuses lacks 529
    headers: { 'content-type': 'application/json' },
  })
}

function toRefusal(thrown: Error, { destroyed, complete }: IncomingMessage): Refusal {
  if (thrown instanceof Refusal) return thrown
  // The client has disconnected in the middle of its request, so an error here is not a defect of the gateway.
  if (destroyed && !complete)
    return new Refusal(400, 'the body ended too early', { reason: 'the client has disconnected' })
  return new Refusal(500, defectMessage, { reason: thrown.name })
}
