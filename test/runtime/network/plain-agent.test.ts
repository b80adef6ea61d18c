import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createNetworkFetch } from '../../../src/runtime/network/network-fetch.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { listenOnLoopback } from '../../setup/loopback.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Answers with the name under which it was asked. */
async function startServer() {
  const server = createServer((request, response) => void response.end(request.headers.host))
  const port = await listenOnLoopback(server)
  return { port, [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())) }
}

test('a name below localhost is this machine, whatever DNS says', async () => {
  await using server = await startServer()
  const settings = { network, scope: 'any-host', signal: AbortSignal.timeout(5_000), report: () => {} } as const
  const address = `some.localhost:${server.port}`
  expect(await (await createNetworkFetch(settings)(`http://${address}/`, {})).text()).toBe(address)
})
