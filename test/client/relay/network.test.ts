import { writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { startRelayStage, toLine } from './relay-stage.ts'

const host = 'gateway.gatepass.invalid'

/** Starts a relay whose gateway has a name that only a proxy finds, and a certificate of an organization's own authority. */
async function startStage(trust: 'trusted' | 'unknown', listener: RequestListener) {
  const authority = createAuthority('Example Corp Root CA')
  const server = createServer(authority.issue({ names: [host] }), listener)
  const port = await listenDuringTest(server)
  const proxy = await startForwardProxy({ routes: { [`${host}:443`]: port }, credentials: 'dana:a word' })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const path = join(await temporaryDirectory(), 'corp.pem')
  await writeFile(path, authority.cert)
  const named = { text: `http://dana:a%20word@127.0.0.1:${proxy.port}`, origin: 'variable HTTPS_PROXY' }
  const ca = trust === 'trusted' ? { path, origin: 'option' } : undefined
  const network = toNetworkSettings({ proxy: named, noProxy: undefined, ca }, {})
  return { ...(await startRelayStage(`https://${host}`, undefined, network)), proxy }
}

test('one connection reaches a gateway behind a proxy and an authority of the organization for all requests', async () => {
  const { fetch, proxy } = await startStage('trusted', ({ headers }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${headers.host} ${headers.authorization} ${headers['proxy-authorization']}\n\n`)
    response.end('data: end\n\n')
  })
  const answers: string[] = []
  for (let count = 0; count < 3; count += 1) answers.push(await (await fetch('/')).text())
  expect({ answers, asked: proxy.asked }).toEqual({
    answers: Array(3).fill(`data: ${host} Bearer token-1 undefined\n\ndata: end\n\n`),
    asked: [`CONNECT ${host}:443`],
  })
})

test('a gateway with an untrusted certificate gets no token', async () => {
  const { fetch } = await startStage('unknown', () => expect.unreachable())
  expect(await toLine(await fetch('/'))).toBe(
    '503 api_error: gatepass: gateway.gatepass.invalid presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE); if that is your organization\'s certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine\'s file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS',
  )
})
