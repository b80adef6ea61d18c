import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'

/** A request as it came to the model, with every header line apart. */
export interface ModelRequest {
  readonly method: string
  readonly path: string
  /** Names in lower case, in the order of the lines. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

/** The model behind a gateway: it believes every request, so it shows what a gateway lets through. */
export interface ModelStandIn extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The requests that came since the last call. */
  take(): ModelRequest[]
  /** Has the streams that are open send their second half. */
  release(): void
}

/** The path whose answer comes in two halves, the second after {@link ModelStandIn.release}. */
export const streamPath = '/v1/stream'

/** The path whose answer asks the gateway for a page that only the gateway itself may see. */
export const innerPath = '/v1/inner'

/** The two halves of a stream. */
export const streamHalves = ['data: first\n\n', 'data: second\n\n'] as const

/** Starts it on loopback. It answers every other path with one message. */
export async function startModel(): Promise<ModelStandIn> {
  let requests: ModelRequest[] = []
  let open: ServerResponse[] = []
  const server = createServer(async (message, response) => {
    const request = await readRequest(message)
    requests.push(request)
    if (request.path === innerPath) response.setHeader('x-accel-redirect', '/gatepass')
    if (request.path !== streamPath) return answerMessage(response)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(streamHalves[0])
    open.push(response)
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    take: () => {
      const taken = requests
      requests = []
      return taken
    },
    release: () => {
      for (const response of open) response.end(streamHalves[1])
      open = []
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

async function readRequest(message: IncomingMessage): Promise<ModelRequest> {
  const { method = '', url = '', rawHeaders } = message
  const headers = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ''] as const] : [],
  )
  return { method, path: url, headers, body: await buffer(message) }
}

function answerMessage(response: ServerResponse): void {
  const message = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
}
