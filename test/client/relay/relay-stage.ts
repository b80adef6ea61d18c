import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { ApiCredential, ApiCredentialSource } from '../../../src/api/api-fetch.ts'
import { startRelay } from '../../../src/client/relay/start-relay.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { startServer } from '../../cli/start-server.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'

const direct = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Creates a source that counts: its tokens are `token-1`, `token-2` and so on, a new one at each renewal. */
export function createCountingSource(fail?: () => HelperError | undefined) {
  const counts = { current: 0, renew: 0 }
  const create = (number: number): ApiCredential => ({
    token: new Secret(`token-${number}`),
    scheme: 'bearer',
    headers: { 'X-Org-Route': 'prod' },
  })
  let held = create(1)
  const refuse = () => {
    const failure = fail?.()
    if (failure) throw failure
  }
  const source: ApiCredentialSource = {
    current: async () => {
      counts.current += 1
      refuse()
      return held
    },
    renew: async () => {
      counts.renew += 1
      refuse()
      held = create(counts.renew + 1)
      return held
    },
  }
  return { source, counts }
}

/** Starts a relay in front of a gateway, with the clock that it reads. */
export async function startRelayStage(baseUrl: string, source = createCountingSource().source, network = direct) {
  const failures: string[] = []
  const clock = { now: 0 }
  const relay = await startRelay({
    baseUrl,
    network,
    credentials: source,
    now: () => clock.now,
    onFailure: ({ message }) => failures.push(message),
  })
  onTestFinished(() => relay.close())
  const { port } = new URL(relay.url)
  const key = relay.key.reveal()
  return {
    relay,
    failures,
    clock,
    key,
    host: `127.0.0.1:${port}`,
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(`${relay.url}${path}`, { ...init, headers: { 'x-api-key': key, ...init.headers } }),
    open: () => openRaw(Number(port)),
  }
}

/** Starts a gateway of this listener behind a relay. */
export async function startGatewayStage(listener: RequestListener, source?: ApiCredentialSource) {
  return startRelayStage(await startServer(listener), source)
}

/** Starts a gateway that answers every connection with these bytes, which need not be HTTP. */
export async function startRawGateway(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => answer(socket))
  })
  return `http://127.0.0.1:${await listenDuringTest(server)}`
}

/** Opens a connection on which a test writes what it likes. */
function openRaw(port: number) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {}) // what came before it counts
  onTestFinished(() => void socket.destroy())
  const closed = once(socket, 'close')
  return {
    socket,
    received: () => received,
    /** Reads everything until the other side ends the connection. */
    readAll: async () => {
      await closed
      return received
    },
  }
}

/** Returns the answer in one line: status and message. */
export async function toLine(response: Response): Promise<string> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { error: { type: string; message: string } }
    return `${response.status} ${error.type}: ${error.message}`
  } catch {
    return `${response.status} ${text}`
  }
}

/** Reads a body as text. */
export async function readText(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString()
}

/** Creates a promise that a gateway of a test fulfils. */
export const createGate = () => Promise.withResolvers<void>()

/** Returns the failure of a helper. */
export const noCredential = () => new HelperError('refused', 'the credential helper gave no credential', 'look at it')
