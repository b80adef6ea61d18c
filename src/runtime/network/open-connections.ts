// Keeps connections to one host for many requests, for the relay, which passes bodies on without reading them.

import { type ClientRequest, type OutgoingHttpHeaders, request as startHttp } from 'node:http'
import { request as startHttps } from 'node:https'
import { refusePlainHttp } from './addresses.ts'
import { createNetworkAgent } from './network-agent.ts'
import { createPlainAgent } from './open-response.ts'
import type { NetworkSettings } from './settings.ts'
import { readAuthorities, refusePipes } from './trust.ts'

/** Connections to one host, each of which is kept for a while for the next request. */
export interface Connections {
  /** Begins a request, whose body the caller writes. It has no bound of time or size. */
  begin(request: PassedRequest): ClientRequest
  close(): void
}

/**
 * Opens connections over the configured network: through proxies, with the configured certificate authorities, over `https` except to this
 * machine.
 * @throws {HelperError} `not-configured` for plain `http` to another machine, or for a file of authorities that cannot be used.
 */
export async function openConnections(url: URL, network: NetworkSettings): Promise<Connections> {
  refusePlainHttp(url)
  const isSecure = url.protocol === 'https:'
  if (isSecure) await readAuthorities(network, () => {})
  else await refusePipes(network)
  const kept = { keepAlive: true, timeout: idleMs }
  const agent = isSecure ? createNetworkAgent(network, () => {}, kept) : createPlainAgent(kept)
  const start = isSecure ? startHttps : startHttp
  return {
    begin: ({ method, path, headers }) =>
      start(url, { method, path, headers, agent, maxHeaderSize: headerBytes, insecureHTTPParser: false }),
    close: () => agent.destroy(),
  }
}

/**
 * In milliseconds: how long an unused connection is kept. This is shorter than servers keep one, because a request into a connection that
 * the server has just closed is lost. A shorter time that a server states is respected. Our decision.
 */
const idleMs = 4_000

/** In bytes: the most that all headers of a response may have together. Node's default for requests is a quarter of it. Our decision. */
export const headerBytes = 64 * 1024

interface PassedRequest {
  readonly method: string
  /** The path and the query, exactly as they are sent. */
  readonly path: string
  readonly headers: OutgoingHttpHeaders
}
