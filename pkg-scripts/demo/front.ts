import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { closeServer, listenOnLoopback } from '../../src/runtime/network/local-server.ts'

/** Does the same as the nginx recipe, if nginx is not installed. It is for the demo only: it has no limits. */
export async function startFront(settings: FrontSettings): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((message, response) => {
    answer(settings, message, response).catch(() => response.writeHead(503).end())
  })
  return {
    url: await listenOnLoopback(server),
    close: () => closeServer(server),
  }
}

/** The verifier that a front asks, and the model to which it forwards requests. */
interface FrontSettings {
  readonly verifierSocket: string
  readonly modelPort: number
  /** The key for the model, which replaces the caller's token. */
  readonly modelKey: string
}

async function answer(settings: FrontSettings, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = '' } = message.headers
  const verdict = await send(request({ socketPath: settings.verifierSocket, headers: { authorization } }))
  if (verdict.statusCode !== 200) return forwardAnswer(verdict, response)
  verdict.resume()
  const { method, url, headers } = message
  const call = request({
    port: settings.modelPort,
    host: '127.0.0.1',
    method,
    path: url,
    headers: {
      'content-type': headers['content-type'],
      'content-length': headers['content-length'],
      authorization: `Bearer ${settings.modelKey}`,
      'x-user': verdict.headers['x-user'] ?? '',
    },
  })
  message.pipe(call)
  const [answered] = (await once(call, 'response')) as [IncomingMessage]
  forwardAnswer(answered, response)
}

async function send(call: ReturnType<typeof request>): Promise<IncomingMessage> {
  call.end()
  const [answered] = await once(call, 'response')
  return answered
}

function forwardAnswer(answered: IncomingMessage, response: ServerResponse): void {
  response.writeHead(answered.statusCode ?? 500, answered.headers)
  answered.pipe(response)
}
