// Applies certificate files to a listener; `tls-files.ts` reads and follows the files.

import { Server as HttpServer } from 'node:https'
import type { TLSSocket, TlsOptions, Server as TlsServer } from 'node:tls'
import { serverBounds } from './bounded-server.ts'
import type { Log } from './log.ts'
import type { TlsFollower } from './tls-files.ts'

/** The certificate files of a listener, and which gateways may connect. */
export interface ListenerTls {
  readonly files: TlsFollower
  /** The names in the certificates of gateways that may connect; if empty, every certificate of the authorities is accepted. */
  readonly clientNames: readonly string[]
}

/**
 * Creates the options of a server with TLS.
 * @param protocol The name of the protocol in ALPN (RFC 7301).
 */
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

/** Uses new files, and closes the connections of gateways that may not connect, or whose authority was removed. */
export function addTlsChecks(server: TlsServer, { files, clientNames }: ListenerTls, log: Log): void {
  let { ca } = files.context()
  const open = new Set<TLSSocket>()
  files.onChange((context) => {
    server.setSecureContext(toContextOptions(context))
    // The certificate of an open connection is never verified again.
    if (context.ca !== ca) endConnections(server, [...open])
    ca = context.ca
  })
  server.on('tlsClientError', ({ code = 'no handshake' }: NodeJS.ErrnoException, { authorizationError }: TLSSocket) => {
    // Node closes a connection whose certificate it refuses; the error has the same code then as when the client closes it.
    const reason = authorizationError ? String(authorizationError) : code
    // Health checks, and a second process that tests for this one, close without a message. A client that refuses the certificate sends an
    // alert.
    if (reason === 'ECONNRESET') return
    log.tellBounded({ level: 'warning', event: 'tls', message: `a connection has no TLS that is accepted (${reason})` })
  })
  // This must run before the listener of the protocol, which would start to read.
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

/** Closes connections: idle HTTP connections at once, the others when their requests have had time for an answer. */
function endConnections(server: TlsServer, open: readonly TLSSocket[]): void {
  if (server instanceof HttpServer) server.closeIdleConnections()
  setTimeout(() => {
    for (const socket of open) socket.destroy()
  }, answerMs).unref()
}

/** The time for an answer: a decision takes milliseconds, or up to a second with AWS STS. */
const answerMs = 1_000

/** Lists the names in a verified certificate: DNS names and URIs (RFC 6125), such as the SPIFFE ID of a workload. */
function listNames(socket: TLSSocket): string[] {
  const { subjectaltname = '' } = socket.getPeerCertificate()
  // Node quotes a name that contains a comma or a quote; a quoted name matches no name of the option.
  return subjectaltname.split(', ').flatMap((entry) => /^(?:DNS|URI):(.+)$/.exec(entry)?.[1] ?? [])
}
