import { Server as HttpServer } from 'node:https'
import type { TLSSocket, TlsOptions, Server as TlsServer } from 'node:tls'
import { serverBounds } from './bounded-server.ts'
import type { Log } from './log.ts'
import type { TlsFollower } from './tls-files.ts'

/** The certificate files of a listener, and the gateways that may connect. */
export interface ListenerTls {
  readonly files: TlsFollower
  /** The names of gateways that may ask, as their certificates have them; every certificate of the authority if empty. */
  readonly clientNames: readonly string[]
}

/** The options of a server with TLS. @param protocol The protocol of ALPN (RFC 7301). */
export function toTlsOptions({ files }: ListenerTls, protocol: 'http/1.1' | 'h2'): TlsOptions {
  const context = files.context()
  return {
    ...toContextOptions(context),
    ALPNProtocols: [protocol],
    handshakeTimeout: serverBounds.headersMs,
    requestCert: context.ca !== undefined,
    rejectUnauthorized: true,
  }
}

function toContextOptions(context: ReturnType<TlsFollower['context']>): TlsOptions {
  return { ...context, minVersion: 'TLSv1.2' }
}

/** Follows the files, and ends the connections of gateways whose names may not ask, or whose authority may have been taken away. */
export function addTlsChecks(server: TlsServer, { files, clientNames }: ListenerTls, log: Log): void {
  let { ca } = files.context()
  const open = new Set<TLSSocket>()
  files.onChange((context) => {
    server.setSecureContext(toContextOptions(context))
    // Nothing looks at the certificate of an open connection again.
    if (context.ca !== ca) endConnections(server, [...open])
    ca = context.ca
  })
  server.on('tlsClientError', ({ code = 'no handshake' }: NodeJS.ErrnoException, { authorizationError }: TLSSocket) => {
    // Node ends the connection of a certificate that it refuses, which has the same code then as one that the client ends.
    const reason = authorizationError ? String(authorizationError) : code
    // Health checks, and a second process that looks whether this one lives, end without a word. A client that refuses the certificate says so.
    if (reason === 'ECONNRESET') return
    log.tellBounded({ level: 'warning', event: 'tls', message: `a connection has no TLS that is accepted (${reason})` })
  })
  // This runs before the listener of the protocol, which would read from the connection.
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    const names = listNames(socket)
    if (clientNames.length === 0 || names.some((name) => clientNames.includes(name))) return
    const message = 'the certificate of a gateway has no name of --client-name'
    log.tellBounded({ level: 'warning', event: 'tls', message, facts: { names: names.join(', ').slice(0, 200) } })
    socket.destroy()
  })
}

/** Ends connections: those of HTTP that are idle at once, the others when their requests have had time for an answer. */
function endConnections(server: TlsServer, open: readonly TLSSocket[]): void {
  if (server instanceof HttpServer) server.closeIdleConnections()
  setTimeout(() => {
    for (const socket of open) socket.destroy()
  }, answerMs).unref()
}

/** A decision takes milliseconds, or a second where AWS STS is asked. */
const answerMs = 1_000

/** The names in a certificate that was verified: DNS names and URIs (RFC 6125), such as the SPIFFE ID of a workload. */
function listNames(socket: TLSSocket): string[] {
  const { subjectaltname = '' } = socket.getPeerCertificate()
  // Node quotes a name that holds a comma or a quote: such a one equals none that was given.
  return subjectaltname.split(', ').flatMap((entry) => /^(?:DNS|URI):(.+)$/.exec(entry)?.[1] ?? [])
}
