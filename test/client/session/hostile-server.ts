import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server on this machine that answers as the test says; gives its address, and the `If-None-Match` of each request. */
export async function startHostileServer(
  answer: RequestListener,
): Promise<{ url: string; tags: (string | undefined)[] }> {
  const tags: (string | undefined)[] = []
  const server = createServer((request, response) => {
    tags.push(request.headers['if-none-match'])
    answer(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/bootstrap`, tags }
}
