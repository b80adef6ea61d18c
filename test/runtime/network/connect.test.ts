import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { connect } from '../../../src/runtime/network/network-agent.ts'
import { type NetworkSettings, toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type ProxyParts, startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'
import { type Authority, createAuthority } from '../../stand-ins/tls/certificate.ts'

const host = 'sts.gatepass.invalid'
let authority: Authority
beforeAll(() => {
  authority = createAuthority('Example Corp Root CA')
})

async function startTarget(): Promise<number> {
  const server = createTlsServer(authority.issue({ names: [host, 'localhost', '127.0.0.1'] }), (socket) => {
    socket.on('error', () => {})
  })
  server.on('tlsClientError', () => {})
  return listenDuringTest(server)
}

async function startProxy(parts: ProxyParts) {
  const proxy = await startForwardProxy(parts)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return { ...proxy, url: `${parts.certificate ? 'https' : 'http'}://127.0.0.1:${proxy.port}` }
}

/** Connects, through a proxy where one is given; every stage, and how it ended. */
async function observe(url: string, proxy?: string) {
  const stages: string[] = []
  const path = join(await temporaryDirectory(), 'corp.pem')
  await writeFile(path, authority.cert)
  const origin = 'variable HTTPS_PROXY'
  const settings: NetworkSettings = {
    ...toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: { path, origin: 'option' } }, {}),
    proxy: proxy === undefined ? undefined : { url: new Secret(proxy), origin },
  }
  const ended = await connect(new URL(url), settings, (stage) => stages.push(stage)).then(
    (socket) => {
      socket.destroy()
      return { authorized: socket.authorized }
    },
    ({ kind, message, hint, code }) => (kind ? { kind, message, hint } : { code }),
  )
  return { stages, ended }
}

const reading = 'reading certificate authorities'

test('an address is connected to directly, each stage under its name', async () => {
  const numeric = `127.0.0.1:${await startTarget()}`
  expect(await observe(`https://${numeric}/x`)).toEqual({
    stages: [
      reading,
      `connecting to ${numeric}`,
      `in the TLS handshake with ${numeric}`,
      `waiting for ${numeric} to answer`,
    ],
    ended: { authorized: true },
  })
})

test('a host with a name is looked up and connected to directly, each stage under its name', async () => {
  const named = `localhost:${await startTarget()}`
  expect(await observe(`https://${named}/x`)).toEqual({
    stages: [
      'reading certificate authorities',
      `looking up ${named}`,
      `connecting to ${named}`,
      `in the TLS handshake with ${named}`,
      `waiting for ${named} to answer`,
    ],
    ended: { authorized: true },
  })
})

test.each(['http', 'https'])('through a proxy over %s the host behind it is verified', async (scheme) => {
  const certificate = scheme === 'https' ? { certificate: authority.issue({ names: ['127.0.0.1'] }) } : {}
  const proxy = await startProxy({ routes: { [`${host}:443`]: await startTarget() }, ...certificate })
  const name = `the proxy ${proxy.url}`
  expect({ ...(await observe(`https://${host}`, proxy.url)), asked: proxy.asked }).toEqual({
    stages: [
      reading,
      `connecting to ${name}`,
      `waiting for ${name} to open a tunnel to ${host}`,
      `in the TLS handshake with ${host} through ${name}`,
      `waiting for ${host} to answer`,
    ],
    ended: { authorized: true },
    asked: [`CONNECT ${host}:443`],
  })
})

test('an IPv6 address stands in brackets before its port', async () => {
  const proxy = await startProxy({ routes: {} })
  expect({ ended: (await observe('https://[2001:db8::1]:8443', proxy.url)).ended, asked: proxy.asked }).toEqual({
    ended: {
      kind: 'unavailable',
      message: `the proxy ${proxy.url} cannot reach [2001:db8::1]:8443 (HTTP 502)`,
      hint: "try again in a moment; if it stays so, check the host's name, then have the proxy's operators look for the cause",
    },
    asked: ['CONNECT [2001:db8::1]:8443'],
  })
})

test('a proxy where nobody listens is named with its setting', async () => {
  expect((await observe(`https://${host}`, 'http://127.0.0.1:1')).ended).toEqual({
    kind: 'unavailable',
    message: 'the proxy http://127.0.0.1:1 cannot be reached (ECONNREFUSED)',
    hint: "check the network, the VPN and the proxy's address (variable HTTPS_PROXY)",
  })
})

test('a host where nobody listens has only the code of the system', async () => {
  expect((await observe('https://127.0.0.1:1')).ended).toEqual({ code: 'ECONNREFUSED' })
})

test('a proxy whose own certificate is for another name is refused under its name', async () => {
  const proxy = await startProxy({ routes: {}, certificate: authority.issue({ names: ['proxy.example'] }) })
  const { ended } = await observe(`https://${host}`, proxy.url)
  expect(ended).toEqual({
    kind: 'unavailable',
    message: `the proxy ${proxy.url} presents a certificate for DNS:proxy.example (ERR_TLS_CERT_ALTNAME_INVALID)`,
    hint: `find out what answers in place of the proxy ${proxy.url}, or correct the endpoint`,
  })
})

test('a connection that takes longer than five seconds is given up, and closed', async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer(
    (socket) =>
      void socket
        .on('error', () => {})
        .once('close', closed.resolve)
        .resume(),
  )
  const name = `127.0.0.1:${await listenDuringTest(server)}`
  useFakeTimers()
  const settings = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
  const ended = connect(new URL(`https://${name}`), settings, (stage) => {
    if (stage.startsWith('in the TLS handshake')) setImmediate(() => vi.advanceTimersByTime(5_000))
  })
  expect(await ended.catch(({ kind, message, hint, cause }) => ({ kind, message, hint, code: cause.code }))).toEqual({
    kind: 'unavailable',
    message: `no connection within 5 s, spent in the TLS handshake with ${name}`,
    hint: 'check the network, the VPN and the proxy',
    code: 'ETIMEDOUT',
  })
  await closed.promise
})
