import { type Agent, type IncomingMessage, request as startHttp } from 'node:http'
import { request as startHttps } from 'node:https'
import { HelperError } from '../../failure.ts'
import { createNetworkAgent } from '../connect/agent.ts'
import type { ReportStage } from '../connect/connect.ts'
import { createPlainAgent } from '../connect/plain-agent.ts'
import { isLoopback, requireHttps } from '../loopback.ts'
import { isMetadataHost, type NetworkScope } from '../network-scope.ts'
import type { NetworkSettings } from '../settings.ts'

export interface FetchSettings {
  readonly network: NetworkSettings
  readonly scope: NetworkScope
  readonly signal: AbortSignal
  readonly report: ReportStage
}

/** How long a metadata service may take to accept a connection. Ours: Azure's tools wait as long, Google's longer. */
const metadataConnectLimitMs = 1_000

/**
 * Sends one request over our network and gives its answer, whose body is still to come; the connection ends with it.
 * @throws {HelperError} what the network finds wrong before anything is sent; otherwise the system's error.
 */
export async function openAnswer(url: URL, init: RequestInit, settings: FetchSettings): Promise<IncomingMessage> {
  if (settings.scope === 'any-host' || !isMetadataHost(url.hostname)) requireHttps(url)
  const agent = url.protocol === 'https:' ? createNetworkAgent(settings.network, settings.report) : createPlainAgent()
  try {
    const answer = await ask(url, init, agent, settings)
    return answer.once('close', () => agent.destroy())
  } catch (error) {
    agent.destroy()
    throw error
  }
}

function ask(
  url: URL,
  { method = 'GET', headers, body }: RequestInit,
  agent: Agent,
  { scope, signal, report }: FetchSettings,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const start = url.protocol === 'https:' ? startHttps : startHttp
  const asking = start(url, { method, headers: Object.fromEntries(new Headers(headers)), agent, signal }, resolve)
  asking.on('error', reject) // for as long as it lives: what breaks the answer off is told by its body
  if (url.protocol === 'http:') {
    report(`connecting to ${url.host}`)
    const giveUp = () => asking.destroy(timeout())
    asking.once('socket', (socket) => {
      const timer = scope === 'metadata' ? setTimeout(giveUp, metadataConnectLimitMs) : undefined
      socket.once('connect', () => report(`waiting for ${url.host} to answer`))
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
    })
  }
  asking.end(typeof body === 'string' ? body : undefined)
  return promise
}

/** Statuses that have no body, and of which the constructor accepts none. */
const bodiless = new Set([204, 205, 304])

/** An answer in the form of `fetch`. @throws {RangeError} for a status that HTTP does not know. */
export function renderAnswer(
  { statusCode: status = 0, headers }: IncomingMessage,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
  return new Response(bodiless.has(status) ? null : body, { status, headers: pairs })
}

/** Whatever broke a request, as a failure of the host that was asked; ours are told as they are. */
export function asUnreachable({ host, hostname }: URL, cause: unknown): HelperError {
  if (cause instanceof HelperError) return cause
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException
  const hint = isLoopback(hostname) ? hintHere(host, code) : 'check the network, the VPN and the proxy'
  return new HelperError('unavailable', `${host} cannot be reached (${code})`, hint, { cause })
}

function hintHere(host: string, code: string): string {
  return code === 'ERR_SSL_WRONG_VERSION_NUMBER'
    ? `write http://${host}: it does not speak TLS`
    : `check what runs at ${host}`
}

function timeout(): Error {
  return Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' })
}
