import { expect, test } from 'vitest'
import { type ProxyParts, startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { type SignInWays, signInWith } from './sign-in-desk.ts'

test.each([
  [
    { status: 403 },
    'refused',
    'the proxy PROXY refuses tunnels to idp.example:443 (HTTP 403)',
    'have idp.example:443 allowed there, or add its host to NO_PROXY if it can be reached without a proxy',
  ],
  [
    { status: 407, schemes: ['Negotiate'] },
    'not-configured',
    'the proxy PROXY asks for Negotiate authentication, which is not supported',
    'name a proxy that takes a user and password or none, such as a local one that signs in for you (px, cntlm)',
  ],
  [
    { status: 502 },
    'unavailable',
    'the proxy PROXY cannot reach idp.example:443 (HTTP 502)',
    "try again in a moment; if it stays so, check the host's name, then have the proxy's operators look for the cause",
  ],
] satisfies [ProxyParts['answers'], string, string, string][])(
  'a proxy that answers %j to CONNECT is reported',
  async (answers, kind, message, hint) => {
    await using proxy = await startForwardProxy({ routes: {}, answers })
    const url = `http://127.0.0.1:${proxy.port}`
    const network = { proxy: { text: url, origin: 'variable HTTPS_PROXY' } }
    expect(await signInWith({}, { settings: { issuer: 'https://idp.example' }, network })).toEqual({
      outcome: [kind, message.replace('PROXY', url), hint],
      page: undefined,
      kept: [],
      asked: [],
      strayed: [],
    })
  },
)

test.each([
  ['a provider that is down', 'http://127.0.0.1:9', 'check what runs at 127.0.0.1:9', '127.0.0.1:9', 'ECONNREFUSED'],
  [
    'a provider whose name nobody knows',
    'https://idp.invalid',
    'check the network, the VPN and the proxy',
    'idp.invalid',
    'ENOTFOUND',
  ],
])('names the host of %s', async (_, issuer, hint, host, code) => {
  const ways: SignInWays = { settings: { issuer } }
  expect((await signInWith({}, ways)).outcome).toEqual(['unavailable', `${host} cannot be reached (${code})`, hint])
})
