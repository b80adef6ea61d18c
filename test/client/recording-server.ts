import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listenDuringTest } from '../setup/listen-during-test.ts'

interface RecordedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  /** Without those that every HTTP client adds by itself. */
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Starts a gateway on loopback that gives scripted answers, then 200, and shows the requests that it got. */
export async function startRecordingServer(...answers: readonly Answer[]) {
  const requests: RecordedRequest[] = []
  const server = createServer(async (request, response) => {
    const { method, url } = request
    const { host: _, connection: __, accept: ___, 'content-length': ____, ...others } = request.headers
    const headers = Object.fromEntries(Object.entries(others).filter(([name]) => !/^(accept-|sec-|user-)/.test(name)))
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const answer = answers[requests.length] ?? { status: 200 }
    requests.push({ method, url, headers, body })
    response.writeHead(answer.status, answer.headers).end('an answer')
  })
  return { url: `http://127.0.0.1:${await listenDuringTest(server)}`, requests }
}
