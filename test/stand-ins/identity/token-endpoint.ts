import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'

/** An answer of the token exchange, as it is to be sent. */
export interface EndpointAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it is, or JSON. */
  readonly body: unknown
  /** Called when the request has arrived. */
  readonly before?: () => void | Promise<void>
}

interface ExchangeRequest {
  readonly line: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
}

/** A token exchange that verifies nothing, answers as scripted and shows what it was sent. */
export interface TokenEndpoint extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly ExchangeRequest[]
  /** For the next requests, one each; the last one for all that follow. */
  answer(...answers: EndpointAnswer[]): void
}

/** A platform's successful answer. */
export const granted = { access_token: 'canary-access-token', token_type: 'Bearer', expires_in: 3600 }

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const requests: ExchangeRequest[] = []
  let script: EndpointAnswer[] = [{ body: granted }]
  const server = createServer(async (message, response) => {
    const { method, url, headers } = message
    requests.push({ line: `${method} ${url}`, headers, body: JSON.parse(await text(message)) })
    const next = script.length > 1 ? script.shift() : script[0]
    const { status = 200, headers: own = {}, body = '', before } = next ?? { body: '' }
    await before?.()
    response.writeHead(status, { 'content-type': 'application/json', ...own })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    requests,
    answer: (...answers) => {
      script = answers
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}
