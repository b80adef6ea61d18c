import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { type RotatingIssuer, startRotatingIssuer } from '../../stand-ins/issuer/rotating-issuer.ts'
import { runWithGateway } from '../run-with-gateway.ts'
import { sendLines } from '../send-lines.ts'
import { audience, people } from '../stage/print-tokens.ts'
import { startHaproxyWithJwt, startHaproxyWithVerifier } from './haproxy-recipes.ts'
import { writeKeys } from './write-keys.ts'

let issuer: RotatingIssuer
let model: TunnellingModel

beforeAll(async () => {
  issuer = await startRotatingIssuer()
  model = await startTunnellingModel()
  return async () => {
    await issuer[Symbol.asyncDispose]()
    await model.close()
  }
})

const accepted = { 'x-user': people.dana.email, 'x-account': '' }

const key = `Sec-WebSocket-Key: ${btoa('k'.repeat(16))}`

const tunnels: [what: string, first: string, lines: string[]][] = [
  ['h2c', 'GET /v1 HTTP/1.1', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']],
  ['websocket', 'GET /v1 HTTP/1.1', ['Connection: upgrade', 'Upgrade: websocket', key, 'Sec-WebSocket-Version: 13']],
  ['CONNECT', 'CONNECT gateway:443 HTTP/1.1', []],
]

test.each(tunnels)('the verifier is asked of each request, also behind %s', async (_, first, lines) => {
  const tunnelled = runWithGateway(
    async (directory) => {
      const verifierSocket = join(directory, 'verifier.sock')
      const verifier = createServer((_, response) => response.writeHead(200, accepted).end())
      await once(verifier.listen(verifierSocket), 'listening')
      const gateway = await startHaproxyWithVerifier({ directory, verifierSocket, modelPort: model.port })
      return { ...gateway, close: () => gateway.close().finally(() => verifier.close()) }
    },
    ({ url }) => model.listTunnelled(url, first, lines),
  )
  expect(await tunnelled).toEqual([])
})

test.each(tunnels)('HAProxy alone verifies the token of each request, also behind %s', async (_, first, lines) => {
  const token = await issuer.sign({ ...people.dana, aud: audience.jwt })
  const tunnelled = runWithGateway(
    async (directory) => {
      await writeKeys(issuer.jwksUrl, directory)
      const key = join(directory, 'key-1.pem')
      return startHaproxyWithJwt({ directory, modelPort: model.port, issuer: issuer.issuer, key })
    },
    ({ url }) => model.listTunnelled(url, first, [`Authorization: Bearer ${token}`, ...lines]),
  )
  expect(await tunnelled).toEqual([])
})

interface TunnellingModel {
  readonly port: number
  /** Asks for a tunnel, and gives what reached the model through it. */
  listTunnelled(url: string, first: string, lines: readonly string[]): Promise<string[]>
  close(): Promise<void>
}

/** Starts a model that opens every tunnel that it is asked for. */
async function startTunnellingModel(): Promise<TunnellingModel> {
  const tunnelled: string[] = []
  const sockets: Duplex[] = []
  const open = ({ method }: IncomingMessage, socket: Duplex) => {
    tunnelled.push(`a tunnel by ${method}`)
    sockets.push(socket)
    socket.on('error', () => {}).on('data', (piece) => tunnelled.push(`${piece}`))
    socket.write(method === 'CONNECT' ? 'HTTP/1.1 200 OK\r\n\r\n' : switched)
  }
  const server = createServer((_, response) => response.end())
  server.on('upgrade', open).on('connect', open).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // a TCP server, which listens
    listTunnelled: async (url, first, lines) => {
      tunnelled.length = 0
      await sendLines(url, first, lines, 'GET /v1/inner HTTP/1.1\r\nHost: model\r\nX-User: root\r\n\r\n')
      return [...tunnelled]
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const switched = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n'
