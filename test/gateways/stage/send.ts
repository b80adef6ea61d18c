import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A request of a client, whose header lines are sent as they are: also twice, and in any case. */
export interface ClientRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: readonly (readonly [name: string, value: string])[]
  readonly body?: string | Buffer
}

/** The answer that the client gets. */
export interface ClientAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Sends one request to a gateway over a connection of its own, and reads the whole answer. */
export async function sendRequest(url: string, sent: ClientRequest): Promise<ClientAnswer> {
  return readAnswer(await openAnswer(url, sent))
}

/** Opens the same up to the headers of the answer, whose body is still to come. */
export async function openAnswer(
  url: string,
  { method = 'POST', path = '/v1/messages', headers = [], body = '{"model":"m"}' }: ClientRequest,
): Promise<IncomingMessage> {
  const { host, hostname, port } = new URL(url)
  const hasBody = method === 'POST'
  const lines = [
    ...[['Host', host] as const, ...headers],
    ...(hasBody ? [['Content-Length', String(Buffer.byteLength(body))] as const] : []),
  ]
  const call = request({ hostname, port, path, method, agent: false, headers: lines.flat(), setHost: false })
  call.end(hasBody ? body : undefined)
  const [answer] = await once(call, 'response')
  return answer
}

/** Reads the whole of such an answer. */
export async function readAnswer(answer: IncomingMessage): Promise<ClientAnswer> {
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
}
