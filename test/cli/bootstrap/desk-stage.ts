import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startTestGateway } from '../../client/session/test-gateway.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { signInTo } from '../../setup/sign-in/sign-in-to.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { createPerson, type PersonSettings } from '../../stand-ins/provider/person/create-person.ts'
import { writeBrowser } from '../../stand-ins/provider/person/write-browser.ts'
import { alice } from '../../stand-ins/provider/settings.ts'
import { startProvider } from '../../stand-ins/provider/start-provider.ts'
import { startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { startServerProcess } from '../gateway/verifier/verifier-process.ts'
import { runGatepass } from '../run-gatepass.ts'

/** A person of the provider who is in no group. */
export const bob = { name: 'bob', password: 'battery-staple' }

/** The resource that access tokens of the provider are for. */
const audience = 'https://config.example.com'

/** A name that leads nowhere but through a proxy (RFC 6761), because a served document cannot point to loopback. */
const gatewayHost = 'gateway.gatepass.invalid'

/**
 * Starts a configuration server as a process that serves a release, published with the commands, to alice alone; the provider at which
 * people sign in; the gateway that the document names, over TLS and through a proxy; and a machine with the document of its device.
 */
export async function startDesk() {
  const lifeSec = { accessToken: 3600, idToken: 3600 }
  const provider = await startProvider({ resources: { [audience]: 'config' }, defaultResource: audience, lifeSec })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const { issuer, clientId } = provider
  const home = await temporaryDirectory()
  const { gateway, env } = await startDistantGateway(home)
  const helper = await writeProgram(join(home, 'gateway-helper'), `echo '{"token": "opaque-token"}'`)
  const options = await publish(home, helper)
  const policy = join(home, 'policy.json')
  const rules = [{ name: 'people', issuer, claims: { sub: [alice.name, bob.name] } }]
  await writeFile(policy, JSON.stringify({ issuers: [{ issuer, audiences: [audience] }], rules }))
  const server = await startServerProcess(
    ...['bootstrap', 'serve', '--policy', policy, ...options, '--listen', '127.0.0.1:0'],
  )
  const url = `${server.addresses.listen}/bootstrap`
  const device = join(home, 'device.json')
  await writeFile(device, JSON.stringify({ bootstrapUrl: url, bootstrapOidc: { clientId, issuer, scopes: 'openid' } }))
  const replaced: readonly [string, string][] = [
    [url, 'SERVER/bootstrap'],
    [new URL(url).host, 'SERVER'],
    [issuer, 'ISSUER'],
    [new URL(issuer).host, 'PROVIDER'],
    [home, 'HOME'],
  ]
  const clean = (text: string) =>
    replaced
      .reduce((rest, [from, to]) => rest.replaceAll(from, to), text)
      .replace(/\d+ ms/g, 'N ms')
      .replace(/ISSUER\/authorize\?\S+/, 'ISSUER/authorize?…')
      .replace(/another [\d hmins]+;/, 'another N;') // of each person and release its own
      .replace(/date: .*/, 'date: …')
  return {
    server,
    url,
    device,
    provider,
    gateway,
    home,
    /** Runs the command on the machine, where this person sits; everything that differs in every run is replaced. */
    run: async (argv: readonly string[], person: PersonSettings = alice) => {
      const BROWSER = await writeBrowser(join(home, 'browser'), person)
      const ran = await runBundle('gatepass', { argv, env: { ...env, BROWSER }, timeoutMs: 60_000 })
      return { ...ran, stdout: clean(ran.stdout), stderr: clean(ran.stderr) }
    },
    /** Writes a program that prints a token for which a person has signed in: only the access token is for the server. */
    writeTokenHelper: async (kind: 'accessToken' | 'idToken', person: PersonSettings = alice) => {
      const bearerTokenType = kind === 'idToken' ? ('id_token' as const) : ('access_token' as const)
      const redirect = { redirectHost: '127.0.0.1', additionalRedirectReferrerHosts: [] } as const
      const settings = {
        clientId,
        issuer,
        scopes: 'openid',
        bearerTokenType,
        appendOfflineAccess: false,
        ...redirect,
      } as const
      const { kept } = await signInTo(settings, async ({ address }) => (await createPerson(person).open(address)).text)
      return writeProgram(join(home, 'token-helper'), `echo '${kept!.tokens[kind]!.reveal()}'`)
    },
  }
}

async function startDistantGateway(home: string) {
  const gateway = await startTestGateway((token) =>
    token === 'opaque-token' ? { ok: true } : { ok: false, reason: 'unknown' },
  )
  const authority = createAuthority('Example Corp Root CA')
  const front = await startFront(gateway.url, authority.issue({ names: [gatewayHost] }), 'of the server behind')
  const proxy = await startForwardProxy({ routes: { [`${gatewayHost}:443`]: front.port } })
  onTestFinished(async () => {
    await proxy[Symbol.asyncDispose]()
    await front[Symbol.asyncDispose]()
  })
  const ca = join(home, 'corp.pem')
  await writeFile(ca, authority.cert)
  const network = { NODE_EXTRA_CA_CERTS: ca, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  return { gateway, env: { ...network, HOME: home, PATH: '/usr/bin:/bin' } }
}

async function writeProgram(path: string, script: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

/** Publishes two releases, the second one to its last wave. @returns the options that name them. */
async function publish(home: string, command: string): Promise<readonly string[]> {
  const [rollout, releases, key] = ['rollout', 'releases', 'release.key'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ]
  const credential = { kind: 'helper-script', command }
  const inference = { provider: 'gateway', baseUrl: `https://${gatewayHost}`, credential }
  const group = { name: 'engineering', claims: { sub: [alice.name] }, overlays: ['engineering.json'] }
  const write = (name: string, content: object) => writeFile(join(rollout, name), JSON.stringify(content))
  await mkdir(rollout)
  await write('base.json', { inference })
  await write('engineering.json', { inference: { customHeaders: { 'x-team': 'blue' } } })
  await write('rollout.json', { groups: [group], others: 'nothing', waves: [100], clients: [{ systems: ['linux'] }] })
  const sign = ['--signing-key', key]
  const steps = [
    ['keygen', '--out', key],
    ['release', rollout, '--to', releases, ...sign],
    ['release', rollout, '--to', releases, ...sign],
    ['promote', releases, '--wave', '1', ...sign],
  ]
  for (const [index, step] of steps.entries()) {
    if (index === 2) await write('engineering.json', { inference: { customHeaders: { 'x-team': 'engineering' } } })
    const { status, stderr } = await runGatepass('bootstrap', ...step)
    expect({ step, status, stderr }).toEqual({ step, status: 0, stderr: '' })
  }
  return ['--release', releases, '--public-key', `${key}.pub`]
}
