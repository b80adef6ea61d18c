import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { FleetSettings } from '../../../src/fleet/fleet-settings.ts'

/** The facts of a virtual day that its provider and its gateway need; moments are epoch milliseconds. */
interface VirtualDay {
  readonly settings: Pick<FleetSettings, 'tokenLifeSec' | 'outages' | 'revocations'>
  readonly midnight: number
  readonly now: () => number
}

/** Starts a platform on loopback that exchanges identity tokens, out when the day says so. Its tokens live by the clock of the day. */
export async function startVirtualProvider({ settings, midnight, now }: VirtualDay) {
  const mintedAt = new Map<string, number>()
  const server = createServer((request, response) => {
    request.resume()
    const token = `made-up-access-token-${mintedAt.size + 1}`
    mintedAt.set(token, now())
    response.setHeader('date', new Date(now()).toUTCString())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: token, token_type: 'Bearer', expires_in: settings.tokenLifeSec }))
  })
  const listen = (port: number) => new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const close = () =>
    new Promise((closed) => {
      server.close(closed)
      server.closeAllConnections()
    })
  await listen(0)
  onTestFinished(() => void (server.listening && close()))
  const { port } = server.address() as AddressInfo // a server that listens on a port has one
  const isOut = () => settings.outages.some(({ at, forSec }) => isBetween(now() - midnight, at * 1000, forSec * 1000))
  return {
    url: `http://127.0.0.1:${port}`,
    mints: () => mintedAt.size,
    /** Closes the port while the provider is out, so that connections are refused. */
    follow: async () => {
      if (isOut() && server.listening) await close()
      if (!isOut() && !server.listening) await listen(port)
    },
    /** Returns the present answer of a gateway to a token. */
    isGood: (token: string) => {
      const minted = mintedAt.get(token) ?? Number.NEGATIVE_INFINITY
      const isRevoked = settings.revocations.some(
        (at) => minted < midnight + at * 1000 && now() >= midnight + at * 1000,
      )
      return !isRevoked && now() < minted + settings.tokenLifeSec * 1000
    },
  }
}

function isBetween(moment: number, begin: number, length: number): boolean {
  return moment >= begin && moment < begin + length
}
