import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'
import type { Certificate } from '../tls/certificate.ts'

/** How one request is handled; `forward` is answered by the server behind. */
export type Behaviour =
  | 'forward'
  | 'silence'
  | 'reset'
  /** Headers, and of the body a byte now and then. */
  | 'drip'
  /** Half of the body that its headers promise. */
  | 'truncate'
  /** A body without end. */
  | 'endless'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** Stands in front of another server on loopback, with TLS if it has a certificate, and fails as scripted. */
export interface Front extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** How many requests came. */
  readonly requests: number
  /** For the next requests, one each; after them for all the last one. */
  behave(...script: Behaviour[]): void
}

export async function startFront(
  behind: string,
  certificate?: Certificate,
  host: 'as the client named it' | 'of the server behind' = 'as the client named it',
): Promise<Front> {
  let script: Behaviour[] = ['forward']
  let requests = 0
  const listener = (message: IncomingMessage, response: ServerResponse) => {
    requests += 1
    const behaviour = (script.length > 1 ? script.shift() : script[0]) ?? 'forward'
    if (host === 'of the server behind') message.headers.host = new URL(behind).host
    answer(behaviour, behind, message, response).catch(() => response.destroy())
  }
  const server = certificate ? createTlsServer(certificate, listener) : createServer(listener)
  server.on('tlsClientError', () => {}) // a client that does not trust us is what some tests are about
  const port = await listenOnLoopback(server)
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    get requests() {
      return requests
    },
    behave: (...next) => {
      script = next
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

async function answer(
  behaviour: Behaviour,
  behind: string,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await buffer(message)
  if (behaviour === 'silence') return
  if (behaviour === 'reset') return void message.socket.resetAndDestroy()
  if (behaviour === 'drip') return drip(response)
  if (behaviour === 'endless') return pour(response)
  if (typeof behaviour === 'object') {
    const { status, headers = {}, body: text = '' } = behaviour
    return void response.writeHead(status, headers).end(text)
  }
  const answered = await forward(behind, message, body)
  const text = await buffer(answered)
  const { 'transfer-encoding': _, ...headers } = answered.headers
  response.writeHead(answered.statusCode ?? 500, { ...headers, 'content-length': text.length })
  if (behaviour === 'forward') return void response.end(text)
  response.write(text.subarray(0, text.length / 2), () => response.destroy())
}

async function forward(behind: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { hostname, port } = new URL(behind)
  // With the host that the client named, because its signature covers it.
  request({ hostname, port, method, path: url, headers, agent: false }, resolve).once('error', reject).end(body)
  return promise
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/xml', 'content-length': 10_000 })
  const timer = setInterval(() => response.write('<'), 100)
  response.once('close', () => clearInterval(timer))
}

function pour(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/xml' })
  const block = Buffer.alloc(64 * 1024, ' ')
  const more = () => {
    while (!response.destroyed && response.write(block)) {}
  }
  response.on('drain', more)
  more()
}
