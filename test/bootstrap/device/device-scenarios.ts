import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServerProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { findFreePort } from '../../gateways/gateway-process.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import type { TestBrowser } from '../../stand-ins/browser/test-browser.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { alice } from '../../stand-ins/provider/settings.ts'
import { startProvider } from '../../stand-ins/provider/start-provider.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'
import { ReleaseFolder } from '../release-folder.ts'
import { deviceGrantType } from './device-stage.ts'

/** Starts the built server behind TLS, with a release, in front of a real provider of which it is a confidential client. */
async function startWhole() {
  const port = await findFreePort()
  const front = await startFront(`http://127.0.0.1:${port}`, createAuthority('tests').issue({ names: ['127.0.0.1'] }))
  const clientSecret = { value: 'canary-of-the-client', sent: 'basic' } as const
  const redirectUris = [`${front.url}/device/callback`]
  const client = { clientId: 'config-server', clientSecret, redirectUris, applicationType: 'web' } as const
  const provider = await startProvider({ host: 'localhost', ...client })
  onTestFinished(async () => {
    await front[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })
  const directory = await temporaryDirectory()
  const [policy, publicKey, secret] = ['policy.json', 'release.pem', 'secret'].map((name) => join(directory, name))
  const { issuer } = provider
  const rules = [{ name: 'people', issuer, claims: { sub: [alice.name] } }]
  await writeFile(policy!, JSON.stringify({ issuers: [{ issuer, audiences: ['config-server'] }], rules }))
  await writeFile(secret!, `${clientSecret.value}\n`, { mode: 0o600 })
  const folder = await ReleaseFolder.create()
  await writeFile(publicKey!, folder.key.key.export({ type: 'spki', format: 'pem' }))
  await folder.point({ manifest: await folder.addRelease({ documents: { '': { v: 1 } } }) })
  const audit = join(directory, 'audit.log')
  const device = ['--device-origin', front.url, '--device-issuer', issuer, '--device-client-id', 'config-server']
  const server = await startServerProcess(
    ...['bootstrap', 'serve', '--policy', policy!, '--release', folder.path, '--public-key', publicKey!],
    ...['--listen', `127.0.0.1:${port}`, ...device, '--device-client-secret-file', secret!],
    ...['--audit', audit, '--audit-subject', 'plain'],
  )
  /** Reads the steps of device sign-ins in the audit, once there are that many. */
  const readSteps = async (count: number) => {
    const read = async () =>
      (await readFile(audit, 'utf8'))
        .split('\n')
        .filter((line) => line.includes('"bootstrap":"device"'))
        .map((line) => JSON.parse(line))
    await expect.poll(async () => (await read()).length).toBe(count)
    return (await read()).map(({ time: _, grant: __, ...step }) => step)
  }
  return { origin: front.url, provider, server, readSteps, ask: createAsker(front.url, port) }
}

/** Asks as the client does; the name of the server stands in `Host`. */
function createAsker(origin: string, port: number) {
  return async (target: string, form?: Record<string, string>, token?: string) => {
    const { request } = await import('node:http')
    const headers = {
      host: new URL(origin).host,
      ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const method = form ? 'POST' : 'GET'
    return new Promise<{ status: number; value: Record<string, unknown> }>((resolve, reject) => {
      request({ port, host: '127.0.0.1', path: target, method, headers, agent: false }, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve({ status: response.statusCode ?? 0, value: JSON.parse(Buffer.concat(chunks).toString() || '{}') })
      })
        .once('error', reject)
        .end(form && new URLSearchParams(form).toString())
    })
  }
}

/** Describes what a person does in a browser, against the built server and a real provider. */
export function describeDevice(startBrowser: () => Promise<TestBrowser>): void {
  test('a person signs in at the provider, compares the code and allows it, and the client gets its document', async () => {
    const { origin, provider, server, ask, readSteps } = await startWhole()
    const browser = await startBrowser()
    onTestFinished(() => browser.close())
    const { value: metadata } = await ask('/.well-known/oauth-authorization-server')
    const { value: begun } = await ask('/device/authorization', { client_id: 'app' })
    const tab = await browser.openTab(String(begun.verification_uri_complete))
    const readCode = () => tab.evaluate('document.getElementById("shown-code").textContent')
    const readTitle = async () => (await tab.read()).split('\n')[0]
    await tab.press('go-on')
    const codeBefore = await readCode()
    await tab.press('sign-in-there')
    await tab.type('name', alice.name)
    await tab.type('password', alice.password)
    await tab.press('sign-in')
    await tab.press('allow') // at the provider
    await tab.untilAddress(`${origin}/device/callback`)
    const poll = { grant_type: deviceGrantType, device_code: String(begun.device_code), client_id: 'app' }
    const early = await ask('/device/token', poll)
    const asked = { title: await readTitle(), codes: [codeBefore, await readCode()] }
    await tab.press('allow')
    const title = await readTitle()
    await new Promise((resolve) => setTimeout(resolve, 5_100))
    const { status, value: tokens } = await ask('/device/token', poll)
    const { expiresAt: _, ...document } = (await ask('/bootstrap', undefined, String(tokens.access_token))).value
    const renewal = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) }
    const { value: renewed } = await ask('/device/token', renewal)
    expect({
      begins: metadata.device_authorization_endpoint,
      early: early.value,
      asked,
      title,
      token: { status, members: Object.keys(tokens) },
      document,
      renewed: (await ask('/bootstrap', undefined, String(renewed.access_token))).status,
      askedProvider: provider.requests('token').length,
    }).toEqual({
      begins: `${origin}/device/authorization`,
      early: { error: 'authorization_pending' },
      asked: { title: 'Allow this app?', codes: [begun.user_code, begun.user_code] },
      title: 'The app is connected',
      token: { status: 200, members: ['access_token', 'token_type', 'expires_in', 'refresh_token'] },
      document: { v: 1 },
      renewed: 200,
      askedProvider: 2,
    })
    const step = { bootstrap: 'device' }
    const person = { issuer: provider.issuer, subject: alice.name }
    expect(await readSteps(2)).toEqual([
      { ...step, outcome: 'started' },
      { ...step, outcome: 'confirmed', ...person },
    ])
    server.signal('SIGTERM')
    const { stderr } = await server.ended
    const secrets = [
      'canary-of-the-client',
      begun.device_code,
      begun.user_code,
      tokens.access_token,
      tokens.refresh_token,
    ]
    expect(secrets.filter((text) => stderr.includes(String(text)))).toEqual([])
  })

  test('a person whom the policy refuses is told so, and the client gets nothing', async () => {
    const { ask, readSteps } = await startWhole()
    const browser = await startBrowser()
    onTestFinished(() => browser.close())
    const { value: begun } = await ask('/device/authorization', { client_id: 'app' })
    const tab = await browser.openTab(String(begun.verification_uri))
    await tab.type('code', String(begun.user_code).toLowerCase())
    await tab.press('go-on')
    await tab.press('sign-in-there')
    await tab.type('name', 'bob')
    await tab.type('password', 'battery-staple')
    await tab.press('sign-in')
    await tab.press('allow')
    const poll = { grant_type: deviceGrantType, device_code: String(begun.device_code), client_id: 'app' }
    expect({
      title: (await tab.read()).split('\n')[0],
      polled: (await ask('/device/token', poll)).value,
      steps: await readSteps(2),
    }).toEqual({
      title: 'You cannot get a configuration here',
      polled: { error: 'access_denied' },
      steps: [
        { bootstrap: 'device', outcome: 'started' },
        { bootstrap: 'device', outcome: 'refused', reason: 'no-rule' },
      ],
    })
  })
}
