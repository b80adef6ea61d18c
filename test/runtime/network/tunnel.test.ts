import { once } from 'node:events'
import { connect as startTcp } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openTunnel } from '../../../src/runtime/network/network-agent.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { type ProxyParts, startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'

const target = 'sts.gatepass.invalid:443'
const who = 'the proxy http://proxy.example:3128'
const secret = new Secret(`Basic ${Buffer.from('dana:canary').toString('base64')}`)

/** Asks a proxy for a tunnel; what it was asked, and how that ended. */
async function ask(parts: Partial<ProxyParts>, authorization?: Secret) {
  const proxy = await startForwardProxy({ routes: {}, ...parts })
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  const socket = startTcp(proxy.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const settings = {
    protocol: 'http:',
    host: 'proxy.example',
    port: 3128,
    name: 'http://proxy.example:3128',
    authorization,
  } as const
  const ended = await openTunnel(socket, settings, target).then(
    (tunnel) => ({ isSameConnection: tunnel === socket }),
    ({ kind, message, hint, cause }) => ({ kind, message, hint, code: cause?.code }),
  )
  return { asked: proxy.asked, ended }
}

const password = 'write them into its URL in a file or variable: http://USER:PASSWORD@proxy.example:3128'
const local =
  'name a proxy that takes a user and password or none, such as a local one that signs in for you (px, cntlm)'

/** The settings of a proxy that agrees: a host behind it, and a password. */
async function startAgreeing() {
  const other = await startForwardProxy({ routes: {} })
  onTestFinished(() => other[Symbol.asyncDispose]())
  return { routes: { [target]: other.port }, credentials: 'dana:canary' }
}

test('a proxy that agrees gives its connection, and gets the user and password that are set', async () => {
  expect(await ask(await startAgreeing(), secret)).toEqual({
    asked: [`CONNECT ${target}`],
    ended: { isSameConnection: true },
  })
})

test('a proxy that asks for a user and password that are not set is explained', async () => {
  expect((await ask(await startAgreeing())).ended).toEqual({
    kind: 'not-configured',
    hint: password,
    message: 'the proxy http://proxy.example:3128 asks for a user and password (HTTP 407)',
  })
})

test.each<[status: number, schemes: string[], kind: string, problem: string, hint: string]>([
  [407, ['Basic realm="x"'], 'not-configured', 'asks for a user and password (HTTP 407)', password],
  [407, ['NTLM', 'basic'], 'not-configured', 'asks for a user and password (HTTP 407)', password],
  [
    407,
    ['NTLM', 'Negotiate', 'NTLM'],
    'not-configured',
    'asks for NTLM or Negotiate authentication, which is not supported',
    local,
  ],
  [407, ['Kerberos'], 'not-configured', 'asks for Kerberos authentication, which is not supported', local],
  [407, ['Basically'], 'not-configured', 'asks for an unknown kind of authentication, which is not supported', local],
  [407, [], 'not-configured', 'asks for an unknown kind of authentication, which is not supported', local],
  [
    403,
    [],
    'refused',
    `refuses tunnels to ${target} (HTTP 403)`,
    `have ${target} allowed there, or add its host to NO_PROXY if it can be reached without a proxy`,
  ],
  [
    302,
    [],
    'refused',
    `refuses tunnels to ${target} (HTTP 302)`,
    `have ${target} allowed there, or add its host to NO_PROXY if it can be reached without a proxy`,
  ],
])('a proxy that answers %i %j is explained', async (status, schemes, kind, problem, hint) => {
  expect((await ask({ answers: { status, schemes } })).ended).toEqual({
    kind,
    message: `${who} ${problem}`,
    hint,
    code: undefined,
  })
})

test('the hint says to correct a user and password that are refused', async () => {
  expect((await ask({ answers: { status: 407, schemes: ['Basic'] } }, secret)).ended).toEqual({
    kind: 'refused',
    message: `${who} does not accept the user and password in its URL (HTTP 407)`,
    hint: 'correct them; every special character in them is written as %XX',
    code: undefined,
  })
})

test.each([500, 502, 504])('a proxy that answers %i has sent nothing on, so that a retry is safe', async (status) => {
  expect((await ask({ answers: { status } })).ended).toEqual({
    kind: 'unavailable',
    message: `${who} cannot reach ${target} (HTTP ${status})`,
    hint: "try again in a moment; if it stays so, check the host's name, then have the proxy's operators look for the cause",
    code: 'ECONNREFUSED',
  })
})

test('a proxy that breaks off is an error of the system', async () => {
  const proxy = await startForwardProxy({ routes: {}, answers: 'silence' })
  const socket = startTcp(proxy.port, '127.0.0.1')
  await once(socket, 'connect')
  const settings = { protocol: 'http:', host: 'p', port: 1, name: 'p', authorization: undefined } as const
  const ended = openTunnel(socket, settings, target)
  const gone = Object.assign(new Error('gone'), { code: 'ECONNRESET' })
  socket.destroy(gone)
  await expect(ended).rejects.toBe(gone)
  await proxy[Symbol.asyncDispose]()
})
