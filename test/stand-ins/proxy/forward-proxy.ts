import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { listenOnLoopback } from '../../setup/loopback.ts'
import type { Certificate } from '../tls/certificate.ts'

export interface ProxyParts {
  /** The real target of a tunnel, by the one that a client names; every other host cannot be found. */
  readonly routes: Readonly<Record<string, number>>
  /** `user:password`, without which it asks for both. */
  readonly credentials?: string
  /** Instead of opening tunnels: an answer, or none. */
  readonly answers?: { readonly status: number; readonly schemes?: readonly string[] } | 'silence'
  /** Makes it a proxy that is itself reached over TLS. */
  readonly certificate?: Certificate
}

/** An HTTP proxy on loopback that opens tunnels (RFC 9110, section 9.3.6). */
export interface ForwardProxy extends AsyncDisposable {
  readonly port: number
  /** The requests of every client, such as `CONNECT host:443`, in order. */
  readonly asked: readonly string[]
}

export async function startForwardProxy(parts: ProxyParts): Promise<ForwardProxy> {
  const { certificate } = parts
  const asked: string[] = []
  const server = certificate ? createTlsServer(certificate) : createServer()
  const sockets = new Set<Duplex>()
  server.on('tlsClientError', () => {})
  server.on('request', (message, response) => {
    asked.push(`${message.method} ${message.url}`)
    response.writeHead(501).end() // only tunnels are expected
  })
  server.on('connect', (message, client, head) => {
    asked.push(`CONNECT ${message.url}`)
    sockets.add(client)
    client.on('error', () => client.destroy())
    serveTunnel(parts, message, client, head, sockets)
  })
  return {
    port: await listenOnLoopback(server),
    asked,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function serveTunnel(
  { routes, credentials, answers }: ProxyParts,
  { url = '', headers }: IncomingMessage,
  client: Duplex,
  head: Buffer,
  sockets: Set<Duplex>,
): void {
  if (answers === 'silence') return
  if (answers) {
    refuse(client, answers.status, answers.schemes)
    return
  }
  const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`
  const isKnown = !expected || headers['proxy-authorization'] === expected
  const port = routes[url]
  if (!isKnown || port === undefined) {
    refuse(client, isKnown ? 502 : 407, isKnown ? [] : ['Basic realm="corp"'])
    return
  }
  const target = connect(port, '127.0.0.1', () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    target.write(head)
    target.pipe(client).pipe(target)
  })
  sockets.add(target)
  target.on('error', () => client.destroy())
}

function refuse(client: Duplex, status: number, schemes: readonly string[] = []): void {
  const lines = schemes.map((scheme) => `Proxy-Authenticate: ${scheme}\r\n`)
  client.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}Content-Length: 0\r\n\r\n`)
}
