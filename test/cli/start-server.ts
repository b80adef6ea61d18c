import { createServer, type RequestListener } from 'node:http'
import { listenDuringTest } from '../setup/listen-during-test.ts'

/** Starts a server on loopback for the length of a test; its URL. */
export async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  return `http://127.0.0.1:${await listenDuringTest(server)}`
}
