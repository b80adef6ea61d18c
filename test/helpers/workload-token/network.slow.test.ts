import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Behaviour, startFront } from '../../stand-ins/front/front.ts'
import { granted, startTokenEndpoint, type TokenEndpoint } from '../../stand-ins/identity/token-endpoint.ts'
import { startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'
import { type Authority, createAuthority } from '../../stand-ins/tls/certificate.ts'
import { type Call, failure, startWorkbench, tokenOf, type Workbench } from './workbench.ts'

/** A name that resolves nowhere, so that only a proxy can reach it (RFC 6761). */
const host = 'api.gatepass.invalid'

/** Starts a platform that is reached over TLS, with a certificate of the organization's own authority. */
async function startSite() {
  const bench = await startWorkbench()
  const endpoint = await startTokenEndpoint()
  const authority = createAuthority('Example Corp Root CA')
  const front = await startFront(endpoint.url, authority.issue({ names: [host, '127.0.0.1'] }))
  const path = await bench.writeToken(await bench.provider.sign())
  const argv = ['--organization', 'org_1', '--federation-rule', 'fdrl_1', '--identity', 'file', '--identity-file', path]
  return {
    bench,
    endpoint,
    front,
    caPath: await writeAuthority(bench, authority),
    run: ({ argv: more = [], env = {} }: Call = {}) =>
      bench.run({ argv: [...argv, '--base-url', front.url, ...more], env }),
    [Symbol.asyncDispose]: async () => {
      for (const part of [front, endpoint, bench]) await part[Symbol.asyncDispose]()
    },
  }
}

async function writeAuthority({ home }: Workbench, { cert }: Authority): Promise<string> {
  const path = join(home, 'corp.pem')
  await writeFile(path, cert)
  return path
}

const lines = ({ requests }: TokenEndpoint) => requests.map(({ line }) => line)

test('a certificate authority of the organization is trusted only where it is named', async () => {
  await using site = await startSite()
  const { port } = site.front
  const outcome = await site.run()
  const asked = lines(site.endpoint)
  expect({ outcome, asked, token: tokenOf(await site.run({ argv: ['--ca', site.caPath] })) }).toEqual({
    outcome: failure(
      6,
      `127.0.0.1:${port} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)`,
      "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
    ),
    asked: [],
    token: granted.access_token,
  })
})

test('the exchange goes through the proxy, and nothing on this machine does', async () => {
  await using site = await startSite()
  await using proxy = await startForwardProxy({ routes: { [`${host}:443`]: site.front.port } })
  const identity = ['--identity', 'url', '--identity-url', `${site.bench.services.url}/identity`]
  const argv = [...identity, '--identity-headers-variable', 'HEADERS', '--base-url', `https://${host}`]
  const env = { ...site.bench.services.environment('url'), HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  expect(tokenOf(await site.run({ argv: [...argv, '--ca', site.caPath], env }))).toBe(granted.access_token)
  expect(proxy.asked).toEqual([`CONNECT ${host}:443`])
})

test('a proxy that refuses is named', async () => {
  await using site = await startSite()
  await using proxy = await startForwardProxy({ routes: {}, answers: { status: 403 } })
  const env = { HTTPS_PROXY: `http://dana:canary@127.0.0.1:${proxy.port}` }
  expect(await site.run({ argv: ['--base-url', `https://${host}`, '--ca', site.caPath], env })).toEqual(
    failure(
      5,
      `the proxy http://127.0.0.1:${proxy.port} refuses tunnels to ${host}:443 (HTTP 403)`,
      `have ${host}:443 allowed there, or add its host to NO_PROXY if it can be reached without a proxy`,
    ),
  )
})

test.each<[behaviour: Behaviour, status: number]>([
  ['reset', 6],
  ['truncate', 6],
  ['endless', 6],
  [{ status: 200, body: 'canary <' }, 6],
  [{ status: 204 }, 6],
  [{ status: 599, body: 'canary' }, 6],
  [{ status: 403, headers: { 'content-type': 'text/html' }, body: '<p>canary' }, 5],
])('a platform that answers with %j gets the identity token once', async (behaviour, status) => {
  await using site = await startSite()
  site.front.behave(behaviour)
  const log = join(site.bench.home, 'log', 'calls.jsonl')
  const outcome = await site.run({ argv: ['--ca', site.caPath, '--log-file', log] })
  expect({ status: outcome.status, stdout: outcome.stdout, requests: site.front.requests }).toEqual({
    status,
    stdout: '',
    requests: 1,
  })
  const said = outcome.stderr + (await readFile(log, 'utf8'))
  expect(['canary', 'eyJ'].filter((secret) => said.includes(secret))).toEqual([])
})

test('nothing is sent where verification is switched off', async () => {
  await using site = await startSite()
  expect(await site.run({ env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).toEqual(
    failure(
      3,
      'NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pose as the host that is asked, so nothing is sent',
      "unset it; if your organization has a certificate authority of its own, name its file in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS",
    ),
  )
  expect(lines(site.endpoint)).toEqual([])
})

test('a platform that cannot be found is reported', async () => {
  await using site = await startSite()
  const outcome = await site.run({ argv: ['--base-url', `https://${host}`] })
  expect({ ...outcome, stderr: outcome.stderr.replace(/\((ENOTFOUND|EAI_AGAIN)\)/, '(CODE)') }).toEqual(
    failure(6, `${host} cannot be reached (CODE)`, 'check the network, the VPN and the proxy'),
  )
})
