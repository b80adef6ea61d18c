import type { Server } from 'node:http'
import { Server as SocketServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * For so long open connections are answered with the word that they end, so that no request is on its way into one that has just
 * been closed.
 */
const farewellMs = 500

/**
 * Listens no more, ends connections once nobody uses them, and resolves when all have ended: within `drainSec` after the farewell,
 * because then they are ended whatever they wait for.
 */
export async function endServer(server: Server, drainSec: number): Promise<void> {
  // The close of an HTTP server would end idle connections at once, and requests that are on their way into them.
  const closed = new Promise((resolve) => SocketServer.prototype.close.call(server, resolve))
  await Promise.race([closed, sleep(Math.min(farewellMs, drainSec * 1000))])
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), drainSec * 1000)
  await closed
  clearTimeout(timer)
}
