import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { readToken } from '../helpers/aws-bedrock-token/read-token.ts'
import { failure } from '../helpers/aws-bedrock-token/workbench.ts'
import { startSite } from './site.ts'

test('an attempt without an answer is silently given up after ten seconds, and AWS is asked again', async () => {
  await using site = await startSite()
  site.front.behave('silence', 'forward')
  const begin = Date.now()
  readToken(await site.run({ env: { AWS_CA_BUNDLE: site.caPath } }))
  const waitedMs = Date.now() - begin
  expect({ requests: site.front.requests, isTen: waitedMs > 10_000 && waitedMs < 15_000 }).toEqual({
    requests: 2,
    isTen: true,
  })
})

test('a handshake that hangs is given up after five seconds, and tried three times', async () => {
  await using site = await startSite()
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number } // a TCP server, which listens
  expect(await site.run({ env: { AWS_ENDPOINT_URL_STS: `https://127.0.0.1:${port}` } })).toEqual(
    failure(
      6,
      `no connection within 5 s, spent in the TLS handshake with 127.0.0.1:${port}`,
      'check the network, the VPN and the proxy',
    ),
  )
  expect(sockets.length).toBe(3)
})
