import { isIP, type Socket, connect as startTcp } from 'node:net'
import type { Duplex } from 'node:stream'
import type { SecureContext, TLSSocket } from 'node:tls'
import { HelperError } from '../../failure.ts'
import { bareHost } from '../loopback.ts'
import type { NetworkSettings } from '../settings.ts'
import { findProxy } from './find-proxy.ts'
import type { ForwardProxy } from './forward-proxy.ts'
import { type Peer, startTls } from './start-tls.ts'
import { openTrust } from './trust.ts'
import { openTunnel } from './tunnel.ts'

/** Is told what a connection waits for, such as "looking up sts.eu-central-1.amazonaws.com". */
export type ReportStage = (stage: string) => void

/** From the name lookup to the end of the TLS handshake; another attempt may do better. */
const connectLimitMs = 5_000

/**
 * Connects to an `https` URL, through a proxy where the settings say so, and verifies who answers.
 * @throws {HelperError} for what a person can mend; otherwise the system's error, such as `ECONNREFUSED`.
 */
export async function connect(url: URL, settings: NetworkSettings, report: ReportStage): Promise<TLSSocket> {
  const proxy = findProxy(url, settings)
  const target = { host: bareHost(url.hostname), port: Number(url.port || 443), name: url.host }
  const origin = settings.proxy?.origin
  const first = proxy ? { ...proxy, name: `the proxy ${proxy.name}`, origin } : target
  report('reading certificate authorities')
  const trust = await openTrust(settings)
  const socket = startTcp({ host: first.host, port: first.port })
  let stage = ''
  const note: ReportStage = (next) => {
    stage = next
    report(next)
  }
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(timeout(stage)), connectLimitMs)
  try {
    const secure = await Promise.race([establish({ socket, first, proxy, target }, trust, note), late])
    report(`waiting for ${target.name} to answer`)
    return secure
  } catch (error) {
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

interface Route {
  readonly socket: Socket
  readonly first: Peer
  readonly proxy: ForwardProxy | undefined
  readonly target: Peer
}

async function establish(route: Route, trust: SecureContext, report: ReportStage): Promise<TLSSocket> {
  const { socket, first, proxy, target } = route
  if (proxy) {
    const tunnel = await blameProxy(first, async () => {
      await waitForTcp(socket, first, report)
      const way: Duplex = proxy.protocol === 'https:' ? await startTls(socket, first, trust) : socket
      report(`waiting for ${first.name} to open a tunnel to ${target.name}`)
      return openTunnel(way, proxy, `${hostOf(target)}:${target.port}`)
    })
    report(`in the TLS handshake with ${target.name} through ${first.name}`)
    return startTls(tunnel, target, trust)
  }
  await waitForTcp(socket, first, report)
  report(`in the TLS handshake with ${target.name}`)
  return startTls(socket, target, trust)
}

function waitForTcp(socket: Socket, { host, name }: Peer, report: ReportStage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  report(isIP(host) ? `connecting to ${name}` : `looking up ${name}`)
  socket.once('lookup', () => report(`connecting to ${name}`))
  socket.once('connect', resolve)
  socket.on('error', reject) // for as long as it lives: later errors are told by what stands on this connection
  return promise
}

/** Without it, "AWS cannot be reached" would send people the wrong way. */
async function blameProxy<T>({ name, origin }: Peer, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof HelperError) throw cause
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    const hint = `check the network, the VPN and the proxy's address${origin ? ` (${origin})` : ''}`
    throw new HelperError('unavailable', `${name} cannot be reached (${code})`, hint, { cause })
  }
}

function hostOf({ host }: Peer): string {
  return isIP(host) === 6 ? `[${host}]` : host
}

function timeout(stage: string): HelperError {
  const cause = Object.assign(new Error(stage), { code: 'ETIMEDOUT' })
  const message = `no connection within ${connectLimitMs / 1000} s, spent ${stage}`
  return new HelperError('unavailable', message, 'check the network, the VPN and the proxy', { cause })
}
