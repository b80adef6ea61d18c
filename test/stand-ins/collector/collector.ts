import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { checkTraceRequest, decodeMetricsRequest } from './published-protocol.ts'

/** A request that a collector received. */
interface ReceivedMetrics {
  readonly request: string
  readonly contentType: string | undefined
  readonly apiKey?: string
  readonly body: string
}

/** An answer in place of the one that says that everything was taken. */
type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** Returns the answer to metrics that were all taken (OTLP specification, full success). */
const everythingTaken: Answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')

/**
 * Starts a collector on loopback, which refuses with 400 what the published protocol definition does not know.
 * @param answers One for each request; the last one stays.
 */
export async function startCollector(...answers: Answer[]) {
  const received: ReceivedMetrics[] = []
  const listener: RequestListener = async (request, response) => {
    const body = await text(request)
    const { 'content-type': contentType, 'api-key': apiKey } = request.headers
    const line = `${request.method} ${request.url}`
    received.push({ request: line, contentType, body, ...(typeof apiKey === 'string' && { apiKey }) })
    try {
      if (request.url?.endsWith('/v1/traces')) checkTraceRequest(body)
      else decodeMetricsRequest(body)
    } catch (error) {
      return void response.writeHead(400).end(String(error))
    }
    const answer = answers[Math.min(received.length, answers.length) - 1] ?? everythingTaken
    answer(response, request)
  }
  const server = createServer(listener)
  const port = await listenDuringTest(server)
  return { received, port, endpoint: `http://127.0.0.1:${port}` }
}
