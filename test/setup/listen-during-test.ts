import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from './loopback.ts'

/** Has a server listen at a free port until the end of the test, which ends the connections of a server for HTTP as well. */
export function listenDuringTest(server: Server | HttpServer): Promise<number> {
  onTestFinished(() => {
    server.close()
    if ('closeAllConnections' in server) server.closeAllConnections()
  })
  return listenOnLoopback(server)
}
