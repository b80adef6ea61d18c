import { isIP, type Socket, connect as startTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContext, TLSSocket } from 'node:tls'
import { HelperError } from '../../failure.ts'
import { normalizeHost } from '../loopback.ts'
import { findNetworkCode } from '../network-code.ts'
import type { NetworkSettings } from '../settings.ts'
import { findProxy } from './find-proxy.ts'
import type { ForwardProxy } from './forward-proxy.ts'
import type { ReportStage } from './report-stage.ts'
import { type Peer, startTls } from './start-tls.ts'
import { resolveTrust } from './trust.ts'
import { openTunnel } from './tunnel.ts'

/** From the name lookup to the end of the TLS handshake: a connection that takes longer is better tried again. */
const connectLimitMs = 5_000

/**
 * Connects to an `https` URL, through a proxy where the settings say so, and verifies who answers.
 * @throws {HelperError} for what a person can fix; otherwise the system's error, such as `ECONNREFUSED`.
 */
export async function connect(url: URL, settings: NetworkSettings, report: ReportStage): Promise<TLSSocket> {
  const proxy = findProxy(url, settings)
  const target = { host: normalizeHost(url.hostname), port: Number(url.port || 443), name: url.host }
  const origin = settings.proxy?.origin
  const first = proxy ? { ...proxy, name: `the proxy ${proxy.name}`, origin } : target
  const trust = await resolveTrust(settings, report)
  const socket = startTcp({ host: first.host, port: first.port })
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

/** The hosts of a connection: `first` is the proxy where there is one, else the target. */
interface Route {
  readonly socket: Socket
  readonly first: Peer
  readonly proxy: ForwardProxy | undefined
  readonly target: Peer
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
  return openTunnel(connection, proxy, `${bracketHost(target)}:${target.port}`)
}

function waitForTcp(socket: Socket, { host, name }: Peer, report: ReportStage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  report(isIP(host) ? `connecting to ${name}` : `looking up ${name}`)
  socket.once('lookup', () => report(`connecting to ${name}`))
  socket.once('connect', resolve)
  // Kept for the life of the socket: an error without a listener would end the process, and what uses the socket reports it.
  socket.on('error', reject)
  return promise
}

/** Names the proxy, because "AWS cannot be reached" would point to the wrong host. A defect stays as it is. */
function toProxyFailure({ name, origin }: Peer, cause: unknown): unknown {
  const code = cause instanceof HelperError ? undefined : findNetworkCode(cause)
  if (code === undefined) return cause
  const hint = `check the network, the VPN and the proxy's address${origin ? ` (${origin})` : ''}`
  return new HelperError('unavailable', `${name} cannot be reached (${code})`, hint, { cause })
}

/** A host as it stands before a port: an IPv6 address in brackets (RFC 3986, section 3.2.2). */
function bracketHost({ host }: Peer): string {
  return isIP(host) === 6 ? `[${host}]` : host
}

function toTimeout(stage: string): HelperError {
  const cause = Object.assign(new Error(stage), { code: 'ETIMEDOUT' })
  const message = `no connection within ${connectLimitMs / 1000} s, spent ${stage}`
  return new HelperError('unavailable', message, 'check the network, the VPN and the proxy', { cause })
}
