// Sends one request over the configured network, for each kind of `fetch`, which then reads the body.

import { lookup } from 'node:dns'
import { Agent, type AgentOptions, type IncomingMessage, request as startHttp } from 'node:http'
import { request as startHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { HelperError } from '../failure.ts'
import { isLoopback, isMetadataHost, type NetworkScope, refusePlainHttp } from './addresses.ts'
import { createNetworkAgent } from './network-agent.ts'
import { findNetworkCode, toForeignHint, toUnreachableFailure } from './network-failure.ts'
import type { NetworkSettings } from './settings.ts'
import { type ReportStage, readAuthorities, refusePipes } from './trust.ts'

/** The parameters of every request over the configured network. */
export interface FetchSettings {
  readonly network: NetworkSettings
  readonly scope: NetworkScope
  /** Ends the request and its connection. */
  readonly signal: AbortSignal
  readonly report: ReportStage
}

/**
 * Sends one request over the configured network and returns its response. The caller reads the body; the connection is closed with the
 * response.
 * @throws {HelperError} for a failure that the connection itself explains, such as a proxy's or a certificate's; otherwise the system's
 * error.
 */
export async function openResponse(url: URL, init: RequestInit, settings: FetchSettings): Promise<IncomingMessage> {
  if (settings.scope === 'any-host' || !isMetadataHost(url.hostname)) refusePlainHttp(url)
  if (url.protocol === 'https:') await readAuthorities(settings.network, settings.report)
  else await refusePipes(settings.network)
  const agent = url.protocol === 'https:' ? createNetworkAgent(settings.network, settings.report) : createPlainAgent()
  try {
    const response = await send(url, init, agent, settings)
    // Without this, a body without a stated length would look complete when the signal ends the connection.
    const giveUp = () => response.destroy(settings.signal.reason as Error)
    settings.signal.addEventListener('abort', giveUp, { once: true })
    return response.once('close', () => {
      settings.signal.removeEventListener('abort', giveUp)
      agent.destroy()
    })
  } catch (error) {
    agent.destroy()
    throw error
  }
}

function send(
  url: URL,
  { method = 'GET', headers, body }: RequestInit,
  agent: Agent,
  { scope, signal, report }: FetchSettings,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const start = url.protocol === 'https:' ? startHttps : startHttp
  const request = start(url, { method, headers: Object.fromEntries(new Headers(headers)), agent, signal }, resolve)
  // Stays after the response has begun, because an error without a listener would end the process. The reader of the body reports the
  // error.
  request.on('error', reject)
  if (url.protocol === 'http:') {
    report(`connecting to ${url.host}`)
    const giveUp = () => request.destroy(createTimeoutError())
    request.once('socket', (socket) => {
      const timer = scope === 'metadata' ? setTimeout(giveUp, metadataConnectLimitMs) : undefined
      socket.once('connect', () => report(`waiting for ${url.host} to answer`))
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
    })
  }
  request.end(typeof body === 'string' ? body : undefined)
  return promise
}

/**
 * In milliseconds: how long a metadata service may take to accept a connection. Our decision: Azure's tools wait as long, Google's longer.
 */
const metadataConnectLimitMs = 1_000

/** Statuses without a body (RFC 9110, section 15), for which the constructor of `Response` accepts none. */
const bodiless = new Set([204, 205, 304])

/**
 * Converts a response to the form of `fetch`.
 * @throws {HelperError} `unavailable` for a status that HTTP does not define (RFC 9110, section 15).
 */
export function toResponse(
  { host }: URL,
  { statusCode: status = 0, headers }: IncomingMessage,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const undefinedStatus = validateStatus(status)
  if (undefinedStatus !== undefined)
    throw new HelperError('unavailable', `${host} ${undefinedStatus}`, toForeignHint(host))
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
  return new Response(bodiless.has(status) ? null : body, { status, headers: pairs })
}

/**
 * Returns the error to throw after a request: a network failure names the host, and any other error stays as it is, because a
 * defect must be reported as one.
 */
export function toNetworkFailure({ host, hostname }: URL, cause: unknown): unknown {
  const code = cause instanceof HelperError ? undefined : findNetworkCode(cause)
  if (code === undefined) return cause
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return toPlainFailure(host, hostname, cause)
  return toUnreachableFailure(host, code, cause, isLoopback(hostname) ? `check what runs at ${host}` : undefined)
}

/** Creates the failure for an answer that is not TLS. */
function toPlainFailure(host: string, hostname: string, cause: unknown): HelperError {
  const hint = isLoopback(hostname)
    ? `write http://${host}: it does not speak TLS`
    : 'name the port that speaks https; over http the token would be sent unencrypted'
  return new HelperError('unavailable', `${host} speaks http on that port, and not https`, hint, { cause })
}

function createTimeoutError(): Error {
  return Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' })
}

/**
 * Creates an agent for plain `http`, which is for this machine and metadata services only. It resolves names below `localhost` to this
 * machine (RFC 6761, section 6.3), which some systems look up in the network.
 */
export function createPlainAgent(options: AgentOptions = {}): Agent {
  return new Agent({ keepAlive: false, lookup: lookUp, ...options })
}

const lookUp: LookupFunction = (name, options, found) => lookup(isLoopback(name) ? 'localhost' : name, options, found)

/** Describes the problem of a status outside those of a final answer (RFC 9110, section 15). */
export function validateStatus(status: number): string | undefined {
  return status < 200 || status > 599 ? `answered with a status that HTTP does not define (${status})` : undefined
}
