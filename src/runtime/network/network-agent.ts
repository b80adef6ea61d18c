import { request } from 'node:http'
import { Agent, type AgentOptions, type RequestOptions } from 'node:https'
import { isIP, type Socket, connect as startTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContext, TLSSocket } from 'node:tls'
import { HelperError } from '../failure.ts'
import { normalizeHost } from './addresses.ts'
import { findProxy } from './find-proxy.ts'
import type { ForwardProxy } from './forward-proxy.ts'
import { againHint, findNetworkCode, networkHint, toUnreachableFailure } from './network-failure.ts'
import type { NetworkSettings } from './settings.ts'
import { type Peer, startTls } from './start-tls.ts'
import { prepareTrust, type ReportStage } from './trust.ts'

/**
 * Creates an agent whose connections use the configured proxy and certificate authorities. Every request to another machine goes through
 * one. The method of an instance is replaced, because extending the class would load `node:https` with this module.
 */
export function createNetworkAgent(settings: NetworkSettings, report: ReportStage, options: AgentOptions = {}): Agent {
  const createConnection = (
    { host, port }: RequestOptions,
    callback: (error: Error | null, socket: Duplex) => void,
  ): undefined => {
    const url = new URL(`https://${isIP(host ?? '') === 6 ? `[${host}]` : host}:${port ?? 443}`)
    connect(url, settings, report).then(
      (socket) => callback(null, socket),
      (error) => callback(error, undefined as never), // the type demands a socket, which nobody reads after an error
    )
  }
  return Object.assign(new Agent({ keepAlive: true, ...options }), { createConnection })
}

/** In milliseconds: from the name lookup to the end of the TLS handshake. A slower connection is tried again. Our decision. */
const connectLimitMs = 5_000

/**
 * Connects to an `https` URL, through a proxy if one is configured, and verifies the certificate.
 * @throws {HelperError} for a problem that a person can fix; otherwise the system's error, such as `ECONNREFUSED`.
 */
export async function connect(url: URL, settings: NetworkSettings, report: ReportStage): Promise<TLSSocket> {
  const proxy = findProxy(url, settings)
  const target = { host: normalizeHost(url.hostname), port: Number(url.port || 443), name: url.host }
  const origin = settings.proxy?.origin
  const first = proxy ? { ...proxy, name: `the proxy ${proxy.name}`, origin } : target
  const trust = await prepareTrust(settings, report)
  // Without this, a request that is written in pieces would wait until the other side has acknowledged the previous piece.
  const socket = startTcp({ host: first.host, port: first.port, noDelay: true })
  let stage = ''
  const note: ReportStage = (next) => {
    stage = next
    report(next)
  }
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(toTimeout(stage)), connectLimitMs)
  try {
    const secure = await Promise.race([openRoute({ socket, first, proxy, target }, trust, note), late])
    report(`waiting for ${target.name} to answer`)
    return secure
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** The hosts of a connection. `first` is the proxy if there is one, otherwise the target. */
interface Route {
  readonly socket: Socket
  readonly first: Peer
  readonly proxy: ForwardProxy | undefined
  readonly target: Peer
}

function toTimeout(stage: string): HelperError {
  const cause = Object.assign(new Error(stage), { code: 'ETIMEDOUT' })
  const message = `no connection within ${connectLimitMs / 1000} s, spent ${stage}`
  return new HelperError('unavailable', message, networkHint, { cause })
}

async function openRoute(route: Route, trust: SecureContext, report: ReportStage): Promise<TLSSocket> {
  const { socket, first, proxy, target } = route
  if (proxy) {
    const tunnel = await connectThroughProxy({ ...route, proxy }, trust, report).catch((cause) => {
      throw toProxyFailure(first, cause)
    })
    report(`in the TLS handshake with ${target.name} through ${first.name}`)
    return startTls(tunnel, target, trust)
  }
  await waitForTcp(socket, first, report)
  report(`in the TLS handshake with ${target.name}`)
  return startTls(socket, target, trust)
}

async function connectThroughProxy(
  { socket, first, proxy, target }: Route & { readonly proxy: ForwardProxy },
  trust: SecureContext,
  report: ReportStage,
): Promise<Duplex> {
  await waitForTcp(socket, first, report)
  const connection: Duplex = proxy.protocol === 'https:' ? await startTls(socket, first, trust) : socket
  report(`waiting for ${first.name} to open a tunnel to ${target.name}`)
  return openTunnel(connection, proxy, `${escapeHost(target)}:${target.port}`)
}

function waitForTcp(socket: Socket, { host, name }: Peer, report: ReportStage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  report(isIP(host) ? `connecting to ${name}` : `looking up ${name}`)
  socket.once('lookup', () => report(`connecting to ${name}`))
  socket.once('connect', resolve)
  // Stays for the life of the socket, because an error without a listener would end the process. The user of the socket reports it.
  socket.on('error', reject)
  return promise
}

/** Names the proxy in the failure, because "AWS cannot be reached" would name the wrong host. A defect is returned unchanged. */
function toProxyFailure({ name, origin }: Peer, cause: unknown): unknown {
  const code = cause instanceof HelperError ? undefined : findNetworkCode(cause)
  if (code === undefined) return cause
  return toUnreachableFailure(name, code, cause, `${networkHint}'s address${origin ? ` (${origin})` : ''}`)
}

/** Renders a host before a port: an IPv6 address in brackets (RFC 3986, section 3.2.2). */
function escapeHost({ host }: Peer): string {
  return isIP(host) === 6 ? `[${host}]` : host
}

/**
 * Requests a tunnel to a host from a proxy, over an open connection (RFC 9110, section 9.3.6).
 * @throws {HelperError} with what the proxy requires or refuses; or the system's error.
 */
export function openTunnel(socket: Duplex, proxy: ForwardProxy, target: string): Promise<Duplex> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>()
  const sent = request({
    method: 'CONNECT',
    path: target,
    headers: {
      host: target,
      ...(proxy.authorization && { 'proxy-authorization': proxy.authorization.reveal() }),
    },
    createConnection: () => socket,
  })
  sent.once('connect', ({ statusCode = 0, headers }) => {
    if (statusCode >= 200 && statusCode < 300) resolve(socket)
    else reject(toRefusal(proxy, target, statusCode, headers['proxy-authenticate'] ?? ''))
  })
  sent.once('error', reject)
  sent.end()
  return promise
}

function toRefusal(proxy: ForwardProxy, target: string, status: number, schemes: string): HelperError {
  const who = `the proxy ${proxy.name}`
  if (status === 407) return toAuthenticationFailure(proxy, who, schemes)
  if (status >= 500) {
    const message = `${who} cannot reach ${target} (HTTP ${status})`
    // The code of a refused connection allows a retry, because nothing has been sent to the host.
    const cause = Object.assign(new Error(message), { code: 'ECONNREFUSED' })
    const hint = `${againHint}; if it stays so, check the host's name, then have the proxy's operators look for the cause`
    return new HelperError('unavailable', message, hint, { cause })
  }
  return new HelperError(
    'refused',
    `${who} refuses tunnels to ${target} (HTTP ${status})`,
    `have ${target} allowed there, or add its host to NO_PROXY if it can be reached without a proxy`,
  )
}

function toAuthenticationFailure({ authorization, name }: ForwardProxy, who: string, schemes: string): HelperError {
  if (!/\bbasic\b/i.test(schemes)) {
    const asked = /\b(ntlm|negotiate|kerberos|digest)\b/gi
    const wanted = [...new Set([...schemes.matchAll(asked)].map(([scheme]) => scheme))].join(' or ')
    return new HelperError(
      'not-configured',
      `${who} asks for ${wanted || 'an unknown kind of'} authentication, which is not supported`,
      'name a proxy that takes a user and password or none, such as a local one that signs in for you (px, cntlm)',
    )
  }
  return authorization
    ? new HelperError(
        'refused',
        `${who} does not accept the user and password in its URL (HTTP 407)`,
        'correct them; every special character in them is written as %XX',
      )
    : new HelperError(
        'not-configured',
        `${who} asks for a user and password (HTTP 407)`,
        `write them into its URL in a file or variable: ${name.replace('//', '//USER:PASSWORD@')}`,
      )
}
