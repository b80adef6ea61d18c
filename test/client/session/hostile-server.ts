import { createServer, type RequestListener } from 'node:http'
import { listenDuringTest } from '../../setup/listen-during-test.ts'

/** Starts a server on this machine that answers as the test says; gives its address, and the `If-None-Match` of each request. */
export async function startHostileServer(
  answer: RequestListener,
): Promise<{ url: string; tags: (string | undefined)[] }> {
  const tags: (string | undefined)[] = []
  const server = createServer((request, response) => {
    tags.push(request.headers['if-none-match'])
    answer(request, response)
  })
  return { url: `http://127.0.0.1:${await listenDuringTest(server)}/bootstrap`, tags }
}
