import { Agent, type IncomingMessage, request as startHttp } from 'node:http'
import { request as startHttps } from 'node:https'
import { HelperError } from '../failure.ts'
import { createNetworkAgent } from './agent.ts'
import type { ReportStage } from './connect.ts'
import { isLoopback, refusePlainHttp } from './loopback.ts'
import { isMetadataHost, type Reach } from './reach.ts'
import { readBody } from './read-body.ts'
import type { NetworkSettings } from './settings.ts'

export interface FetchSettings {
  readonly network: NetworkSettings
  readonly reach: Reach
  readonly signal: AbortSignal
  readonly report: ReportStage
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** How long a metadata service may take to accept a connection. Ours: Azure's tools wait as long, Google's longer. */
const metadataConnectLimitMs = 1_000

/**
 * One request in the form of `fetch`, over our network: proxy, trust and bounds apply, the answer is read whole, and
 * nobody is followed elsewhere. It is sent once; whether it may be sent again is the caller's to know.
 * @throws {HelperError} `unavailable` with the system's error as its cause, or what the network itself finds wrong.
 */
export function networkFetch(settings: FetchSettings): Fetch {
  return async (address, init) => {
    const url = new URL(address)
    if (settings.reach === 'anybody' || !isMetadataHost(url.hostname)) refusePlainHttp(url)
    const agent =
      url.protocol === 'https:'
        ? createNetworkAgent(settings.network, settings.report)
        : new Agent({ keepAlive: false })
    try {
      return await ask(url, init, agent, settings)
    } catch (cause) {
      throw asUnreachable(url, cause)
    } finally {
      agent.destroy()
    }
  }
}

async function ask(
  url: URL,
  { method = 'GET', headers, body }: RequestInit,
  agent: Agent,
  { reach, signal, report }: FetchSettings,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const start = url.protocol === 'https:' ? startHttps : startHttp
  const asking = start(url, { method, headers: Object.fromEntries(new Headers(headers)), agent, signal }, resolve)
  asking.once('error', reject)
  if (url.protocol === 'http:') {
    report(`connecting to ${url.host}`)
    const giveUp = () => asking.destroy(timeout())
    asking.once('socket', (socket) => {
      const timer = reach === 'metadata' ? setTimeout(giveUp, metadataConnectLimitMs) : undefined
      socket.once('connect', () => report(`waiting for ${url.host} to answer`))
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
    })
  }
  asking.end(typeof body === 'string' ? body : undefined)
  const answer = await promise
  report(`reading the answer of ${url.host}`)
  const bytes = await readBody(answer, url.host)
  return render(answer, bytes)
}

/** Statuses that have no body, and of which the constructor accepts none. */
const bodiless = new Set([204, 205, 304])

function render({ statusCode: status = 0, headers }: IncomingMessage, bytes: Uint8Array): Response {
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string])
  return new Response(bodiless.has(status) ? null : Buffer.from(bytes), { status, headers: pairs })
}

function asUnreachable({ host, hostname }: URL, cause: unknown): HelperError {
  if (cause instanceof HelperError) return cause
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException
  const hint = isLoopback(hostname) ? `check what runs at ${host}` : 'check the network, the VPN and the proxy'
  return new HelperError('unavailable', `${host} cannot be reached (${code})`, hint, { cause })
}

function timeout(): Error {
  return Object.assign(new Error('no connection'), { code: 'ETIMEDOUT' })
}
