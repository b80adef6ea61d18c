import { createServer, type RequestListener } from 'node:http'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'

/** Starts a server on a free port of this machine. */
export async function startServer(answer: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(answer)
  return {
    url: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    close: () => closeServer(server),
  }
}
