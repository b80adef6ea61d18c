import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOnLoopback } from '../../../src/runtime/network/local-server.ts'

/**
 * A platform on loopback that exchanges any identity token for an access token of two hours, and counts the requests. A token of one hour,
 * which is the `ttlSec` of the calls, would be served from the cache only at first: on an emulated processor an upgrade takes longer.
 */
export interface TokenServer {
  readonly url: string
  /** The number of requests. */
  asked(): number
  /** Resolves when this total number of requests has arrived. */
  waitUntilAsked(times: number): Promise<void>
  /** From now on requests wait for `release`. */
  hold(): void
  /** Answers the waiting requests, and all later ones. */
  release(): void
  close(): void
}

/** Starts it on a free port. */
export async function startTokenServer(): Promise<TokenServer> {
  let asked = 0
  let held = Promise.withResolvers<void>()
  held.resolve()
  const server = createServer(async (request, response) => {
    request.resume()
    asked += 1
    const token = { access_token: `smoke-access-token-${asked}`, token_type: 'Bearer', expires_in: 7200 }
    await held.promise
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(token))
  })
  return {
    url: await listenOnLoopback(server),
    asked: () => asked,
    waitUntilAsked: async (times) => {
      const giveUpAt = performance.now() + patienceMs
      while (asked < times) {
        if (performance.now() > giveUpAt)
          throw new Error(`the helper did not ask for a token in ${patienceMs / 1000} s`)
        await sleep(20)
      }
    },
    hold: () => {
      held = Promise.withResolvers()
    },
    release: () => held.resolve(),
    close: () => void server.close().closeAllConnections(),
  }
}

const patienceMs = 60_000
