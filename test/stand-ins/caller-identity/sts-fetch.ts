import { request } from 'node:http'
import { Readable } from 'node:stream'
import type { Fetch } from '../../../src/runtime/network/network-fetch.ts'

/** Creates a `fetch` of this process that leads to a server on loopback whatever host is asked, under the name of that host. */
export function createStsFetch(standIn: { readonly url: string }): Fetch {
  return (address, { method = 'GET', headers, body, signal }) => {
    const url = new URL(address)
    const { hostname, port } = new URL(standIn.url)
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const sent = request(
      {
        hostname,
        port,
        method,
        agent: false,
        signal: signal ?? undefined,
        path: `${url.pathname}${url.search}`,
        headers: { ...(headers as Record<string, string>), host: url.host }, // as the verifier gives them
      },
      (answer) => {
        answer.on('error', () => {}) // its reader gets it
        const stream = Readable.toWeb(answer) as ReadableStream<Uint8Array> // of Node's own kind of stream
        const pairs = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string])
        resolve(new Response(stream, { status: answer.statusCode ?? 0, headers: pairs }))
      },
    )
    sent.on('error', reject).end(body)
    return promise
  }
}
